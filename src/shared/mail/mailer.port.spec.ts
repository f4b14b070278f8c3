import { describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import { countMail, isMailAddress } from './mailer.port.js';

describe('an e-mail address', () => {
  it.each(['ada@example.org', 'ada.lovelace+media@sub.example.org', 'demo@localhost', 'jürgen@exämple.org'])('is %s', (text) => {
    expect(isMailAddress(text)).toBe(true);
  });

  it.each([
    '',
    'ada',
    '@example.org',
    'ada@',
    'ada@example.org, eve@example.org',
    'ada@example.org;eve@example.org',
    'Ada <ada@example.org>',
    'ada@example.org\r\nBcc: eve@example.org',
    'ada@example.org\n',
    '"ada\r\nBcc: eve"@example.org',
    '"ada lovelace"@example.org',
    'ada@example.org\0',
    ' ada@example.org',
    `${'a'.repeat(65)}@example.org`,
  ])('is not %j', (text) => {
    expect(isMailAddress(text)).toBe(false);
  });
});

describe('the e-mails that were sent', () => {
  it('are counted by outcome and the code of the reason, without what the reason quotes', async () => {
    countMail({ accepted: true, statusCode: 250, reason: null });
    for (const reason of ['mail server refused: 550 ada@example.org is unknown', 'timeout: it did not answer', 'ada@example.org'])
      countMail({ accepted: false, statusCode: 0, reason });
    const lines = (await register.getSingleMetricAsString('mails_total')).split('\n').filter((line) => line.endsWith(' 1'));
    expect(lines).toEqual([
      'mails_total{outcome="accepted",reason=""} 1',
      'mails_total{outcome="failed",reason="mail server refused"} 1',
      'mails_total{outcome="failed",reason="timeout"} 1',
      'mails_total{outcome="failed",reason="other"} 1',
    ]);
  });
});
