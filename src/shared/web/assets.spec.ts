import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { assetUrl, publishAssets, publishFolder, serveAssets } from './assets.js';
import { pageFilesIn } from './page-files.js';

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

  it.each([
    ['gzip, deflate, br', 'gzip'],
    ['gzip;q=0.5', 'gzip'],
    ['gzip;q=0, identity', null],
    ['br', null],
  ])('are compressed for a client that accepts it (%s)', async (accepted, encoding) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${assetUrl('site.css')}`;
    const response = await fetch(url, { headers: { 'accept-encoding': accepted } });
    expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([encoding, 'accept-encoding']);
    const plain = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
    expect(await response.text()).toBe(await plain.text());
    const [sent, size] = [response, plain].map(({ headers }) => Number(headers.get('content-length')));
    if (encoding) expect(sent).toBeLessThan((size ?? 0) / 2);
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

  it('keep their names in a folder that others know, and are asked for again after a week', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'media-delivery-folder-'));
    writeFileSync(path.join(folder, 'mp4.png'), 'picture');
    expect(publishFolder('/pictures', pathToFileURL(`${folder}/`))).toEqual(['mp4.png']);
    rmSync(folder, { recursive: true });
    const response = await get('/pictures/mp4.png');
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['image/png', 'picture']);
    expect(response.headers.get('cache-control')).toBe('public, max-age=604800');
  });

  describe('of a folder', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'media-delivery-assets-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    const source = (name: string, content: string) => {
      writeFileSync(path.join(folder, name), content);
      return pathToFileURL(path.join(folder, name));
    };
    const publish = (content: string) =>
      publishAssets('page', {
        files: {
          'main.js': source('main.js', content),
          'vendor/lib.js': source('lib.js', "import { more } from './more.js';\nimport { other } from 'other/part.js';\n"),
          'vendor/more.js': source('more.js', ''),
          'b.js': source('b.js', ''),
        },
        packages: { lib: 'vendor/lib.js', 'other/part.js': 'vendor/other.js' },
      });

    it('find each other under one name, which changes with any of them', async () => {
      const [one, two] = [publish('export const a = 1;'), publish('export const a = 2;')];
      expect(one('main.js')).toMatch(/^\/assets\/page\.[0-9a-f]{12}\/main\.js$/);
      expect(path.dirname(path.dirname(one('vendor/lib.js')))).toBe(path.dirname(one('main.js')));
      expect(path.dirname(two('vendor/lib.js'))).not.toBe(path.dirname(one('vendor/lib.js')));
      expect(await (await get(two('main.js'))).text()).toBe('export const a = 2;');
    });

    it('name packages by their files, and everything else as it was', async () => {
      const url = publish("import { lib } from 'lib';\nimport { b } from './b.js';\nimport 'unknown';\nconst from = 'lib';\n");
      expect(await (await get(url('main.js'))).text()).toBe(
        "import { lib } from './vendor/lib.js';\nimport { b } from './b.js';\nimport 'unknown';\nconst from = 'lib';\n",
      );
      expect(await (await get(url('vendor/lib.js'))).text()).toBe(
        "import { more } from '../vendor/more.js';\nimport { other } from '../vendor/other.js';\n",
      );
    });

    it('are compiled if only their TypeScript source exists', async () => {
      const main = source('typed.ts', "import { a } from './part.js';\nimport type { B } from './b.js';\nexport const one: B = a;\n");
      const typed = pageFilesIn(new URL('./', main))['typed.js'] as URL;
      const files = { 'typed.js': typed, 'vendor/part.js': source('part.js', 'export const a = 1;') };
      const url = publishAssets('typed', { files });
      const script = await get(url('typed.js'));
      expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(await script.text()).toBe("import { a } from './vendor/part.js';\nexport const one = a;\n");
    });

    it('are found in a folder by their names as browsers load them, without tests and types', () => {
      for (const name of ['page.spec.ts', 'page.d.ts', 'page.json', 'page.css', 'first.ts', 'second.js']) source(name, '');
      const names = Object.keys(pageFilesIn(new URL('./', source('third.js', '')), 'part/'));
      expect(names).toEqual(expect.arrayContaining(['part/page.css', 'part/first.js', 'part/second.js', 'part/third.js']));
      expect(names.filter((name) => /spec|\.d\.|json|\.ts$/.test(name))).toEqual([]);
    });

    it('are named if they are missing', () => {
      const missing = new URL('missing.js', source('here.js', ''));
      expect(() => publishAssets('missing', { files: { 'missing.js': missing } })).toThrow('missing.');
    });

    it('are refused if one imports a file that is not among them', () => {
      const files = { 'page/main.js': source('main.js', "import { a } from './forgotten.js';\n") };
      expect(() => publishAssets('incomplete', { files })).toThrow('page/main.js imports ./forgotten.js, which is not published with it');
    });

    it('import packages by their path in the folder', async () => {
      const files = { 'page/main.js': source('main.js', "import { a } from './shared.js';\n"), 'shared/a.js': source('shared.js', '') };
      const url = publishAssets('elsewhere', { files });
      expect(await (await get(url('page/main.js'))).text()).toBe("import { a } from '../shared/a.js';\n");
    });

    it('name an asset that does not exist', () => {
      expect(() => publish('')('missing.js')).toThrow('There is no asset page/missing.js');
    });
  });
});
