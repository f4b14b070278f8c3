import { describe, expect, it } from '@jest/globals';
import { explainMailFailure, type SmtpError } from './explain-mail-failure.js';

const explain = (fields: Partial<SmtpError>) =>
  explainMailFailure(Object.assign(new Error('told to nobody'), fields), 'mail.example.org', (text) => text.replaceAll('secret', '***'));

describe('how a mail failed', () => {
  it.each([
    [{ code: 'EDNS' }, 'dns: mail.example.org was not found'],
    [{ code: 'ESOCKET', originalCode: 'EAI_AGAIN' }, 'dns: mail.example.org was not found'],
    [{ code: 'ETIMEDOUT' }, 'timeout: mail.example.org did not answer in time'],
    [{ code: 'EABORT' }, 'timeout: mail.example.org did not take the mail in time'],
    [{ code: 'ETLS' }, 'tls: no encrypted connection to mail.example.org'],
    [{ code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED' }, 'tls: no encrypted connection to mail.example.org (CERT_HAS_EXPIRED)'],
    [{ code: 'ESOCKET', originalCode: 'ECONNRESET' }, 'connection: mail.example.org broke it off or refused it (ECONNRESET)'],
    [{ code: 'ECONNECTION' }, 'connection: mail.example.org broke it off or refused it'],
    [{ code: 'EAUTH' }, 'authentication: mail.example.org offers no way to sign in that this service knows'],
    [{ code: 'EENVELOPE' }, 'recipient: mail.example.org does not take such an address'],
    [{ code: 'EPROTOCOL' }, 'protocol: the answer of mail.example.org is not SMTP'],
    [{ code: 'EMESSAGE' }, 'message: mail.example.org does not take this mail'],
  ])('%j: %s', (error, reason) => {
    expect(explain(error)).toEqual({ accepted: false, statusCode: 0, reason });
  });

  it('is what the mail server says, in one line, not too long, and without what must not be told', () => {
    const response = `550-no such user\r\n550 secret ${'x'.repeat(1_000)}`;
    const { statusCode, reason } = explain({ code: 'EENVELOPE', responseCode: 550, response });
    expect([statusCode, reason?.length]).toEqual([550, 'mail server refused: '.length + 300]);
    expect(reason).toMatch(/^mail server refused: 550-no such user 550 \*\*\* x+$/);
  });

  it('is thrown when it is a fault of ours', () => {
    expect(() => explain({ code: 'ECONFIG' })).toThrow('told to nobody');
    expect(() => explain({})).toThrow('told to nobody');
  });
});
