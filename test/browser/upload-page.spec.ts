import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { Database } from '../../src/shared/database/index.js';
import { complaintsOf, launchChromium, takePicture } from '../support/chromium.js';
import { aDropsite, eventsOf } from '../support/dropsites.js';
import { eventually } from '../support/eventually.js';
import { startTestStorage, type TestStorage } from '../support/storage.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { makeTestFolder, removeTestFolder } from '../support/test-cluster.js';
import { Wire } from '../support/wire.js';

const MB = 1_000_000;

let storage: TestStorage;
let wire: Wire;
let app: TestApp;
let browser: Browser;
let folder: string;
let context: BrowserContext;
let page: Page;
let complaints: string[];
/** How far the storage's clock is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  folder = makeTestFolder();
  storage = await startTestStorage({ now: () => new Date(Date.now() + aheadMs) });
  wire = await Wire.to(storage.settings.s3Endpoint);
  [app, browser] = await Promise.all([startTestApp({ ...storage.settings, s3Endpoint: wire.url }), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
  await wire?.close();
  await storage?.close();
  await removeTestFolder(folder);
});
beforeEach(async () => await open());
afterEach(async () => {
  await context.close();
  wire.rate = Number.POSITIVE_INFINITY;
  wire.mend();
  aheadMs = 0;
});

async function open(options: BrowserContextOptions = {}): Promise<void> {
  await context?.close();
  context = await browser.newContext(options);
  page = await context.newPage();
  complaints = complaintsOf(page);
}

/** A file on disk with content of its own. */
function aFileOf(name: string, bytes: number): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, randomBytes(bytes));
  return file;
}

const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
const visit = async (link: string) => await page.goto(`${app.url}/d/${link}`);
const choose = async (...files: string[]) => await page.locator('input[type=file]').setInputFiles(files);
const press = async (name: string | RegExp) => await page.getByRole('button', { name }).click();
const heading = (name: string | RegExp) => page.getByRole('heading', { name });
const delivered = async (timeout = 30_000) => await heading(/delivered/).waitFor({ timeout });
const percent = async () => Number.parseInt((await page.locator('#percent').textContent()) ?? '', 10) || 0;

/** What arrived at a dropsite: names and sizes of its successful items. */
async function arrived({ id }: { id: number }) {
  const sql = `SELECT item.file_name AS name, item.file_extension AS extension, item.file_size::int AS size FROM media_items item
    JOIN media_containers container ON container.id = item.media_container_id
    WHERE container.origin = $1 AND item.status = 'successful' ORDER BY item.id`;
  const { rows } = await app.app.get(Database).query<{ name: string; extension: string; size: number }>(sql, [id]);
  return rows.map(({ name, extension, size }) => [`${name}.${extension}`, size]);
}

describe('a stranger with a link', () => {
  it('delivers several files and gets a receipt', async () => {
    const { dropsite } = await aDropsite(app, { name: 'Photos of the party', description: 'Everything that you took, please.' });
    const files = [aFileOf('several/portrait.jpg', 300_000), aFileOf('several/speech.mp4', 12 * MB), aFileOf('several/nothing.txt', 0)];
    await visit(dropsite.link);
    await choose(...files);
    await press('Upload 3 files, 12.3 MB');
    await delivered();
    expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe('3 files delivered, 12.3\u00a0MB');
    for (const file of files) await page.getByText(sha256(file)).waitFor();
    expect(await arrived(dropsite)).toEqual([
      ['portrait.jpg', 300_000],
      ['speech.mp4', 12 * MB],
      ['nothing.txt', 0],
    ]);
    const names = (await eventsOf(app, dropsite)).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(['event:dropsiteUploadStarted', 'event:uploadComplete', 'event:dropsiteUploadComplete']));
    await takePicture(page, 'upload delivered');
    expect(complaints).toEqual([]);
  });
});
