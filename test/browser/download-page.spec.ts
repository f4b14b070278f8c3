import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Download, Page } from 'playwright-core';
import { describeBytes } from '../../src/shared/web/index.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import {
  complaintsOf,
  launchChromium,
  NARROW,
  scrollsSideways,
  seriousFindings,
  takePicture,
  ZOOMED,
} from '../support/browser/chromium.js';
import { aPdf, aPicture } from '../support/browser/small-media.js';
import { addRendition } from '../support/converter/renditions.js';
import { aFormat, aPublisher, originalOf, type Publisher } from '../support/delivery/player-configurations.js';
import { readZip } from '../support/delivery/read-zip.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { call } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

let storage: TestStorage;
let app: TestApp;
let browser: Browser;
let publisher: Publisher;
let photo: Buffer;
let address: string;
let context: BrowserContext | undefined;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  storage = await startTestStorage();
  [app, browser] = await Promise.all([startTestApp(storage.settings), launchChromium()]);
  publisher = await aPublisher(app);
  photo = await aPicture(browser, { width: 800, height: 600 });
  address = await aDownloadPage();
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
  await storage?.close();
});
afterEach(async () => {
  await context?.close();
  context = undefined;
});

/** A photo in two formats, of which one is not ready, and a paper. */
async function aDownloadPage(): Promise<string> {
  const { user, token } = publisher;
  const image = await uploadMedia(app, token, { fileName: 'At the river.png', originalFileExtension: 'png', content: photo });
  const paper = {
    type: 'document',
    fileName: 'Programme of the summer party.pdf',
    originalFileExtension: 'pdf',
    content: aPdf('Programme'),
  };
  const document = await uploadMedia(app, token, paper);
  const [web, print] = await Promise.all([
    aFormat(app, user, { name: 'Web', settings: { mediaTypes: ['image'] } }),
    aFormat(app, user, { name: 'Print', settings: { mediaTypes: ['image'] } }),
  ]);
  const rendition = { containerId: image.id, formatId: web.id, type: 'image', width: 800, height: 600 };
  await addRendition(app, { ...rendition, fileName: 'At the river (web)', fileExtension: 'png', content: photo });
  const formatIds = [await originalOf(app, user, 'image'), web.id, print.id, await originalOf(app, user, 'document')];
  const body = { mediaContainerIds: [image.id, document.id], formatIds, title: 'Summer party', end: 1_896_134_400 };
  const { link } = (await call<{ link: string }>(`${app.url}/v5/downloadlink`, { token, body })).body;
  return `${app.url}/l/${link}`;
}

async function visit(options: BrowserContextOptions = {}): Promise<void> {
  context = await browser.newContext(options);
  page = await context.newPage();
  complaints = complaintsOf(page);
  await page.goto(address);
}

const contentOf = async (download: Download) => await readFile(await download.path());

it('downloads one file under its name, and stays open', async () => {
  await visit();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download Programme of the summer party.pdf' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Programme of the summer party.pdf');
  expect((await contentOf(download)).equals(aPdf('Programme'))).toBe(true);
  expect(page.url()).toBe(address);
  expect(complaints).toEqual([]);
});

it('downloads all of them as one archive', async () => {
  await visit();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download all as one ZIP file' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Summer party.zip');
  const files = readZip(await contentOf(download));
  expect(files.map(({ name }) => name)).toEqual(['At the river.png', 'At the river (web).png', 'Programme of the summer party.pdf']);
  expect(files[1]?.content.equals(photo)).toBe(true);
  expect(complaints).toEqual([]);
});

it('downloads without JavaScript, one by one', async () => {
  await visit({ javaScriptEnabled: false });
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('.files a[download]').first().click()]);
  expect(download.suggestedFilename()).toBe('At the river.png');
});

it('shows each name once, with what is known about the file', async () => {
  await visit();
  const rows = await page.locator('.downloads > li').allInnerTexts();
  expect(rows.map((row) => row.split('\n').filter((line) => line !== ''))).toEqual([
    [
      'At the river',
      ...['Original image', `PNG, 800\u00a0×\u00a0600, ${describeBytes(photo.length)}`, 'Download'],
      ...['Web', 'At the river (web).png', `PNG, 800\u00a0×\u00a0600, ${describeBytes(photo.length)}`, 'Download'],
      ...['Print', 'This file has not been made.'],
    ],
    ['Programme of the summer party', 'Original document', `PDF, ${describeBytes(aPdf('Programme').length)}`, 'Download'],
  ]);
});

it.each([
  ['in a narrow window', NARROW],
  ['at 200 % zoom', ZOOMED],
])('can be used with a screen reader, and %s', async (_, viewport) => {
  await visit({ viewport });
  expect(await scrollsSideways(page)).toBe(false);
  expect(await seriousFindings(page)).toEqual([]);
});

it.each([
  ['desktop light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['desktop dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
  ['phone light', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
] as const)('fits its screen: %s', async (name, options) => {
  await visit(options);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await page.evaluate(`[...document.images].at(-1).scrollIntoView()`); // pictures are loaded when they are near the viewport
  await eventually(
    async () => await page.evaluate(`[...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0)`),
  );
  await takePicture(page, `download ${name}`);
});
