import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient } from './client.js';
import { openFile } from './open-file.js';

describe('upload', () => {
  let storage: Server;
  let puts: number;
  /** Whether the storage answers. */
  let isOpen: boolean;
  let items: Map<string, string>;
  const store = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };

  beforeAll(async () => {
    storage = createServer((request, response) => {
      request.resume().on('end', () => {
        puts += 1;
        if (isOpen) response.setHeader('etag', '"tag"').end();
      });
    });
    await new Promise<void>((resolve) => storage.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    storage.closeAllConnections();
    await new Promise((resolve) => storage.close(resolve));
  });
  beforeEach(() => {
    [puts, isOpen, items] = [0, true, new Map()];
  });

  const item = (index: number) => ({
    ...{ index, id: 7 + index, bucket: 'media', region: 'us-east-1', s3Key: `uploads/1/u/${index}.txt` },
    endpoint: `http://127.0.0.1:${(storage.address() as AddressInfo).port}`,
    credentials: { AccessKeyId: 'A', SecretAccessKey: 'S', SessionToken: 'T', Expiration: new Date(Date.now() + 900_000).toISOString() },
  });
  /** A service that reports no object as missing, apart from those that were never sent. */
  const client = createClient({
    ...{ baseUrl: 'https://media.example', accessToken: 'token' },
    fetch: async (request) => {
      const body = JSON.parse(await request.text());
      if (request.url.endsWith('/createUpload')) {
        const processed = (body.payload as object[]).map((_, index) => item(index));
        return Response.json({ processed, error: [], transferAcceleration: false });
      }
      if (request.url.endsWith('/success') && !isOpen)
        return Response.json({ code: 'object_missing', detail: 'It is missing.' }, { status: 409 });
      return Response.json({});
    },
  });
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise(setImmediate);
  };

  it('returns the media containers in the order of the files, and remembers nothing', async () => {
    const files = [new File(['one'], 'one.txt'), { file: new Blob(['two']), fileName: 'two.txt' }];
    const result = await client.upload(files, { uploadId: randomUUID(), store });
    expect(result.items.map(({ mediaContainerId }) => mediaContainerId)).toEqual([7, 8]);
    expect([puts, items.size]).toEqual([2, 0]);
  });

  it('rejects with the reason of an abort, and sends nothing more', async () => {
    isOpen = false;
    const controller = new AbortController();
    const files = Array.from({ length: 20 }, (_, index) => new File(['x'], `${index}.txt`));
    const upload = client.upload(files, { signal: controller.signal, store });
    await until(() => puts === 4);
    controller.abort(new Error('enough'));
    await expect(upload).rejects.toThrow('enough');
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(puts).toBe(4);
  });

  it('continues with the same content only', async () => {
    isOpen = false;
    const uploadId = randomUUID();
    const controller = new AbortController();
    const upload = client.upload([new File(['the first'], 'a.txt')], { uploadId, store, signal: controller.signal });
    await until(() => puts === 1);
    controller.abort(new Error('killed'));
    await expect(upload).rejects.toThrow('killed');

    await expect(client.upload([new File(['the other'], 'a.txt')], { uploadId, store })).rejects.toMatchObject({
      ...{ code: 'file_changed', errors: [{ path: 'files.0', code: 'file_changed' }] },
    });
    expect(puts).toBe(1);
    isOpen = true;
    // Its success is reported first, because it may have arrived; here it has.
    await client.upload([new File(['the first'], 'a.txt')], { uploadId, store });
    expect([puts, items.size]).toEqual([1, 0]);
  });

  it('reads files of any size from disk', async () => {
    const path = `${mkdtempSync(`${tmpdir()}/sdk-`)}/film.mov`;
    writeFileSync(path, '');
    truncateSync(path, 6 * 1024 ** 3);
    const { file, fileName } = openFile(path);
    writeFileSync(path, 'the end', { flag: 'a' });
    expect([file.size, fileName, openFile(path).file.size]).toEqual([6 * 1024 ** 3, 'film.mov', 6 * 1024 ** 3 + 7]);
    expect(await file.slice(6 * 1024 ** 3, 6 * 1024 ** 3 + 7).text()).toBe('the end');
    truncateSync(path, 5);
    expect(() => file.slice(0, 6)).toThrow('has become shorter');
    rmSync(path);
  });

  it('needs a name of each file', async () => {
    await expect(client.upload([{ file: new Blob(['x']) }])).rejects.toThrow('File 0 has no name');
    await expect(client.upload([])).rejects.toThrow('at least one file');
  });
});
