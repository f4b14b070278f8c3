import { describe, expect, it } from '@jest/globals';
import { explainMailFailure, type SmtpError, senderOf, smtpServerOf } from './smtp-mailer.adapter.js';

describe('a mail server in a URL', () => {
  it.each([
    ['smtp://mail.example.org', { host: 'mail.example.org', port: 587, secure: false }],
    ['smtps://mail.example.org', { host: 'mail.example.org', port: 465, secure: true }],
    ['smtp://localhost:1025', { host: 'localhost', port: 1025, secure: false }],
    ['smtps://[::1]:465/?tls.rejectUnauthorized=false', { host: '::1', port: 465, secure: true }],
    ['smtps://u%40x:p%3Aw%25@h', { host: 'h', port: 465, secure: true, auth: { user: 'u@x', pass: 'p:w%' } }],
    ['smtp://u:100%@h', { host: 'h', port: 587, secure: false, auth: { user: 'u', pass: '100%' } }],
  ])('%s is read', (url, server) => {
    expect(smtpServerOf(url)).toEqual({ ...server, hide: expect.any(Function) });
  });

  it('keeps its password to itself, in every spelling of SMTP', () => {
    const { hide } = smtpServerOf('smtp://user:se%20cret@h');
    const plain = Buffer.from('\0user\0se cret').toString('base64');
    const login = Buffer.from('se cret').toString('base64');
    expect(hide(`a se cret, ${plain} and ${login}`)).toBe('a ***, *** and ***');
    expect(smtpServerOf('smtp://h').hide('nothing to hide')).toBe('nothing to hide');
  });
});

const explain = (fields: Partial<SmtpError>) =>
  explainMailFailure(Object.assign(new Error('unexpected failure'), fields), 'mail.example.org', (text) =>
    text.replaceAll('secret', '***'),
  );

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

  it('is the response of the mail server, on one line, shortened, and without secrets', () => {
    const response = `550-no such user\r\n550 secret ${'x'.repeat(1_000)}`;
    const { statusCode, reason } = explain({ code: 'EENVELOPE', responseCode: 550, response });
    expect([statusCode, reason?.length]).toEqual([550, 'mail server refused: '.length + 300]);
    expect(reason).toMatch(/^mail server refused: 550-no such user 550 \*\*\* x+$/);
  });

  it('is thrown when it is a fault of ours', () => {
    expect(() => explain({ code: 'ECONFIG' })).toThrow('unexpected failure');
    expect(() => explain({})).toThrow('unexpected failure');
  });
});

describe('the sender', () => {
  it.each([
    ['media@example.org', { name: '', address: 'media@example.org' }],
    ['Media <media@example.org>', { name: 'Media', address: 'media@example.org' }],
    ['Media, Inc. <media@example.org>', { name: 'Media, Inc.', address: 'media@example.org' }],
    ['"Media: films" <media@example.org>', { name: 'Media: films', address: 'media@example.org' }],
    [' <media@example.org>', { name: '', address: 'media@example.org' }],
  ])('%s has two parts', (mailFrom, sender) => {
    expect(senderOf(mailFrom)).toEqual(sender);
  });
});
