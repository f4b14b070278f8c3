import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { allowFraming, describeUserAgent, formatDateTime, sendPage } from './pages.service.js';

it('writes a moment in UTC, whatever zone it was given in, and keeps the time on one line', () => {
  expect(formatDateTime(new Date('2026-02-03T00:05:00+02:00'))).toBe('2 Feb 2026, 22:05\u00a0UTC');
});

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

it('sends an uncacheable page with a policy that permits only what the page needs', async () => {
  const server = createServer((_request, response) => sendPage(response, 400, '<p>Grüße'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const policy = response.headers.get('content-security-policy');
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self';");
    expect(await response.text()).toBe('<p>Grüße');
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

it('permits connections to origins and workers only on request', async () => {
  const options = [{}, { connectSrc: ['https://storage.example'], workers: true }];
  const server = createServer((request, response) => sendPage(response, 200, '', options[Number(request.url?.slice(1))]));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const policyOf = async (index: number) =>
      (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${index}`)).headers.get('content-security-policy');
    expect(await policyOf(0)).not.toMatch(/connect-src|worker-src/);
    expect(await policyOf(1)).toContain("connect-src 'self' https://storage.example; worker-src 'self';");
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

it('permits framing and media of other origins only on request', async () => {
  const server = createServer((request, response) => {
    response.setHeader('x-frame-options', 'SAMEORIGIN');
    if (request.url === '/any') allowFraming(response, 'any');
    if (request.url === '/some') allowFraming(response, ['https://*.example.org:*']);
    const storage = 'https://storage.example';
    const more = { mediaSrc: [storage], objectSrc: [storage], styleHashes: ['l0oXN8ELODFEFGnJztGBqT5qrnYVXGDHmO9UVWjtMXA='] };
    sendPage(response, 200, '', { imgSrc: ['https://cdn.example', storage], ...more });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const headersOf = async (path: string) => {
      const { headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`);
      return { policy: headers.get('content-security-policy') ?? '', options: headers.get('x-frame-options') };
    };
    const [none, some, any] = await Promise.all(['none', 'some', 'any'].map(headersOf));
    expect([none?.options, some?.options, any?.options]).toEqual(['SAMEORIGIN', null, null]);
    expect(none?.policy).toContain("frame-ancestors 'none'");
    expect(some?.policy).toContain('frame-ancestors https://*.example.org:*');
    expect(any?.policy).not.toContain('frame-ancestors');
    expect(any?.policy).toContain("img-src 'self' https://cdn.example https://storage.example;");
    for (const name of ['media-src', 'object-src', 'frame-src']) expect(any?.policy).toContain(`${name} 'self' https://storage.example;`);
    expect(any?.policy).toContain("style-src 'self' 'sha256-l0oXN8ELODFEFGnJztGBqT5qrnYVXGDHmO9UVWjtMXA=';");
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
