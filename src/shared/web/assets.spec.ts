import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { assetUrl, serveAssets } from './assets.js';

describe('assets', () => {
  const server = createServer((request, response) => serveAssets(request, response, () => response.writeHead(404).end('next')));
  const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method });

  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it.each([
    ['site.css', 'text/css; charset=utf-8'],
    ['favicon.svg', 'image/svg+xml'],
  ])('serves %s under a URL with its hash, for good', async (name, contentType) => {
    const response = await get(assetUrl(name));
    expect(assetUrl(name)).toMatch(/^\/assets\/\w+\.[0-9a-f]{12}\.\w+$/);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(contentType);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await response.text()).length).toBeGreaterThan(0);
  });

  it('answers HEAD without the content', async () => {
    const response = await get(assetUrl('site.css'), 'HEAD');
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
    expect(await response.text()).toBe('');
  });

  it.each(['/assets/site.000000000000.css', '/assets/site.css', '/assets/../assets.ts', '/'])(
    'leaves %s to the next step',
    async (path) => {
      expect(await (await get(path)).text()).toBe('next');
    },
  );

  it('leaves a POST to the next step', async () => {
    expect(await (await get(assetUrl('site.css'), 'POST')).text()).toBe('next');
  });

  it('names an asset that does not exist', () => {
    expect(() => assetUrl('missing.css')).toThrow('There is no asset missing.css');
  });
});
