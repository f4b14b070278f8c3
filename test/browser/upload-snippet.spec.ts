import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { aClient, aUser } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { complaintsOf, launchChromium } from '../support/browser/chromium.js';
import { type Site, startSite } from '../support/browser/site.js';
import { readPage } from '../support/documents/document.js';
import { eventually } from '../support/eventually.js';
import { call, tokenOf } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

const AWS4FETCH = path.resolve(import.meta.dirname, '../../node_modules/aws4fetch/dist/aws4fetch.esm.mjs');
const MIB = 1024 ** 2;

interface Container {
  readonly id: number;
  readonly media: readonly { readonly bucket: string; readonly s3Key: string; readonly status: string }[];
}

describe('the web page of docs/uploads.md', () => {
  let storage: TestStorage;
  let app: TestApp;
  let browser: Browser;
  let site: Site;
  let folder: string;
  let token: string;

  beforeAll(async () => {
    folder = makeTestFolder();
    storage = await startTestStorage();
    [app, browser] = await Promise.all([startTestApp(storage.settings), launchChromium()]);
    site = await startSite('127.0.0.1', () => ({ html: readPage('docs/uploads.md').replace('http://localhost:3000', app.url) }));
    await aClient(app, { redirectUris: [`${site.origin}/callback`] });
    token = await tokenOf(app, await aUser(app));
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await app?.close();
    await storage?.close();
    await removeTestFolder(folder);
  });

  /** The page as the site of a client serves it to a signed-in user. */
  async function open(): Promise<{ page: Page; complaints: string[] }> {
    const page = await (await browser.newContext()).newPage();
    const complaints = complaintsOf(page);
    await page.addInitScript(`sessionStorage.setItem('access_token', '${token}')`);
    await page.route('**/aws4fetch.esm.mjs', async (route) => await route.fulfill({ path: AWS4FETCH, contentType: 'text/javascript' }));
    await page.goto(site.origin);
    return { page, complaints };
  }

  async function choose(page: Page, content: Buffer): Promise<string> {
    const file = path.join(folder, `${randomBytes(4).toString('hex')}.mp4`);
    writeFileSync(file, content);
    await page.setInputFiles('#file', file);
    const state = page.locator('#state');
    await eventually(async () => !['', 'Uploading …'].includes(await state.innerText()), 60_000);
    return await state.innerText();
  }

  /** What lies in the storage now under the key of a media container. */
  async function stored(state: string): Promise<{ status: string | undefined; sha256: string }> {
    const id = /^Uploaded: media container (\d+)$/.exec(state)?.[1];
    const { body } = await call<Container>(`${app.url}/v5/mediacontainer/${id}`, { token });
    const [item] = body.media;
    const { s3Endpoint: endpoint, awsRegion: region, storageKey } = storage.settings;
    const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: storageKey ?? undefined });
    const { Body } = await client.send(new GetObjectCommand({ Bucket: item?.bucket, Key: item?.s3Key }));
    return { status: item?.status, sha256: sha256((await Body?.transformToByteArray()) ?? Buffer.alloc(0)) };
  }

  it.each([
    ['a small file at once', 300_000],
    ['a large file in parts', 20 * MIB + 1],
    ['an empty file', 0],
  ])('uploads %s', async (_, bytes) => {
    const content = randomBytes(bytes);
    const { page, complaints } = await open();
    const state = await choose(page, content);
    expect(state).toMatch(/^Uploaded: media container \d+$/);
    expect(await stored(state)).toEqual({ status: 'successful', sha256: sha256(content) });
    expect(await page.evaluate('progress.value')).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('continues with new credentials before the old ones expire', async () => {
    const content = randomBytes(20 * MIB);
    const { page } = await open();
    const prepared: string[] = [];
    await page.route('**/v5/s3/createUpload', async (route) => {
      const response = await route.fetch();
      const { uploadId, processed, ...rest } = await response.json();
      const soon = new Date(Date.now() + 60_000).toISOString();
      prepared.push(uploadId);
      for (const { credentials } of processed) credentials.Expiration = soon;
      await route.fulfill({ response, json: { uploadId, processed, ...rest } });
    });
    expect((await stored(await choose(page, content))).sha256).toBe(sha256(content));
    expect(prepared.length).toBeGreaterThan(3);
    expect(new Set(prepared).size).toBe(1);
  });

  it('shows refusals of the service', async () => {
    const { page } = await open();
    await page.evaluate(`sessionStorage.setItem('access_token', 'no token')`);
    expect(await choose(page, Buffer.from('x'))).toContain('access token');
  });
});

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
