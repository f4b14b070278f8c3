import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { allowFraming, sendPage } from './send-page.js';

it('sends an uncacheable page with a policy that permits only what the page needs', async () => {
  const server = createServer((_request, response) => sendPage(response, 400, '<p>Grüße', { formAction: ['https://app.example'] }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const policy = response.headers.get('content-security-policy');
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self' https://app.example;");
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
    sendPage(response, 200, '', { imgSrc: ['https://cdn.example', 'https://storage.example'], mediaSrc: ['https://storage.example'] });
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
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
