import { describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import { rises } from '../../../test/support/metrics.js';
import { isMailAddress } from '../email-address.js';
import { startMetrics } from '../metrics.js';
import { countMail } from './mailer.port.js';

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
    const series = ['accepted ', 'failed mail server refused', 'failed timeout', 'failed other'].map((one) => {
      const [outcome, ...reason] = one.split(' ');
      return `mails_total{outcome="${outcome}",reason="${reason.join(' ')}"}`;
    });
    const risen = await rises(startMetrics(), series, async () => {
      countMail({ accepted: true, statusCode: 250, reason: null });
      for (const reason of ['mail server refused: 550 ada@example.org is unknown', 'timeout: it did not answer', 'ada@example.org'])
        countMail({ accepted: false, statusCode: 0, reason });
    });
    expect(Object.values(risen)).toEqual([1, 1, 1, 1]);
    expect(await register.getSingleMetricAsString('mails_total')).not.toContain('ada@example.org');
  });
});
