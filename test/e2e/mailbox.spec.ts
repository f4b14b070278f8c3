import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { Mailer } from '../../src/shared/mail/index.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { rawRequest } from '../support/raw-request.js';

const html = '<!doctype html><title>Mail</title><p style="color: red">Hello</p><script>alert(1)</script>';

describe('the page /dev/mail', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    const mailer = app.app.get(Mailer, { strict: false });
    await mailer.send({ messageId: 'msg_1.1', to: 'ada@example.org', subject: 'The <b>first</b>', text: 'Hello <i>Ada</i>', html });
    await mailer.send({ messageId: 'msg_2.1', to: 'bob@example.org', subject: 'The second', text: 'Only text' });
    await app.app.get(Database, { strict: false }).query(`UPDATE mailbox SET created_at = '2026-02-03 14:05:00Z'`);
  });
  afterAll(async () => await app.close());

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${app.url}${path}`, { headers });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };

  it('lists the mails, the newest first, with recipient, subject and time', async () => {
    const { status, body, headers } = await get('/dev/mail');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body.indexOf('The second')).toBeLessThan(body.indexOf('The &lt;b&gt;first&lt;/b&gt;'));
    expect(body.indexOf('The second')).toBeGreaterThan(0);
    expect(body).toContain('bob@example.org');
    expect(body).toContain('<time datetime="2026-02-03T14:05:00.000Z">3 Feb 2026, 14:05\u00a0UTC</time>');
    expect(body).not.toContain('<b>first');
  });

  it('shows one mail: sender, recipient, time, id and text', async () => {
    const { body, headers } = await get('/dev/mail/1');
    expect(body).toContain('ada@example.org');
    expect(body).toContain('noreply@localhost');
    expect(body).toContain('msg_1.1');
    expect(body).toContain('Hello &lt;i&gt;Ada&lt;/i&gt;');
    expect(body).toContain('<iframe class="html" src="/dev/mail/1/html"');
    expect(headers.get('content-security-policy')).toContain("frame-src 'self'");
    expect((await get('/dev/mail/2')).body).not.toContain('<iframe');
  });

  it('serves the HTML of a mail unchanged, in a sandbox', async () => {
    const { status, body, headers } = await get('/dev/mail/1/html');
    expect([status, body]).toEqual([200, html]);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; " +
        'sandbox allow-popups allow-popups-to-escape-sandbox',
    );
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each(['/dev/mail/3', '/dev/mail/x', '/dev/mail/2/html', '/dev/mail/99999999999999999999', '/dev/mail/-1', '/dev/mail/1/text'])(
    'has nothing at %s',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  it.each(['/dev/mail', '/dev/mail/1', '/dev/mail/1/html'])(
    'is not found behind a proxy, or under another host name (%s)',
    async (path) => {
      expect((await get(path, { 'x-forwarded-for': '203.0.113.7' })).status).toBe(404);
      const answer = await rawRequest(app.url, { path, headers: { host: 'rebound.example.org' } });
      expect(answer.status).toBe(404);
      expect(answer.text).not.toContain('Hello');
    },
  );
});

describe('the page /dev/mail of others', () => {
  it.each([
    ['behind a trusted proxy', { trustProxy: 'loopback' }, { 'x-forwarded-for': '203.0.113.7' }],
    ['with a mail server', { smtpUrl: 'smtp://127.0.0.1:1' }, {}],
    ['in production', { nodeEnv: 'production' as const }, {}],
  ])('is not there: %s', async (_name, settings, headers) => {
    const app = await startTestApp(settings);
    try {
      expect((await fetch(`${app.url}/dev/mail`, { headers: { ...headers } })).status).toBe(404);
    } finally {
      await app.close();
    }
  });
});
