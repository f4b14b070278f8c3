import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeUserAgent } from './describe-user-agent.js';

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('the description of a user agent', () => {
  it.each([
    ['Chrome on Linux', `Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/131.0.0.0 Safari/537.36`],
    ['Chrome on Android', `Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/131.0.0.0 Mobile Safari/537.36`],
    ['Chrome on ChromeOS', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/131.0.0.0 Safari/537.36`],
    ['Edge on Windows', `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`],
    ['Opera on macOS', `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Chrome/130.0.0.0 Safari/537.36 OPR/116.0.0.0`],
    [
      'Samsung Internet on Android',
      `Mozilla/5.0 (Linux; Android 10; K) ${webKit} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36`,
    ],
    ['Firefox on Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0'],
    [
      'Safari on macOS',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
    ],
    [
      'Safari on iPhone',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    ],
    [
      'Chrome on iPad',
      'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.0.0 Mobile/15E148 Safari/604.1',
    ],
    [
      'Unknown browser on iPhone',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
    ],
    ['Dalvik on Android', 'Dalvik/2.1.0 (Linux; U; Android 13; SM-S901B)'],
    ['curl', 'curl/8.5.0'],
    ['Unknown browser', '<script>'],
    ['Unknown browser', ''],
    ['Unknown browser', null],
  ])('is %s', (description, userAgent) => {
    expect(describeUserAgent(userAgent)).toBe(description);
  });

  it('is short whatever is sent', () => {
    fc.assert(fc.property(fc.string({ maxLength: 500 }), (userAgent) => describeUserAgent(userAgent).length <= 60));
  });
});
