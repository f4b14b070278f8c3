import { describe, expect, it } from '@jest/globals';
import { isMailAddress } from './mailer.port.js';

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
