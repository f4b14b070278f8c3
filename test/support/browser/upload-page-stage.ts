import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Response } from 'playwright-core';
import { Database } from '../../../src/shared/database/index.js';
import { startTestApp, type TestApp } from '../app/test-app.js';
import { makeTestFolder, removeTestFolder } from '../app/test-cluster.js';
import { eventually } from '../eventually.js';
import { startTestStorage, type TestStorage } from '../storage/storage.js';
import { Wire } from '../wire.js';
import { complaintsOf, launchChromium } from './chromium.js';

/** The upload page in Chromium, with a storage behind a wire that can be slowed down and cut. Each test has a page of its own. */
export class UploadPageStage {
  storage: TestStorage;
  wire: Wire;
  app: TestApp;
  browser: Browser;
  folder: string;
  context: BrowserContext;
  page: Page;
  /** What Chromium complains of. */
  complaints: string[];
  /** How far the storage's clock is ahead. */
  aheadMs = 0;

  async start(): Promise<void> {
    this.folder = makeTestFolder();
    this.storage = await startTestStorage({ now: () => new Date(Date.now() + this.aheadMs) });
    this.wire = await Wire.to(this.storage.settings.s3Endpoint);
    const settings = { ...this.storage.settings, s3Endpoint: this.wire.url };
    [this.app, this.browser] = await Promise.all([startTestApp(settings), launchChromium()]);
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    await this.app?.close();
    await this.wire?.close();
    await this.storage?.close();
    await removeTestFolder(this.folder);
  }

  async open(options: BrowserContextOptions = {}): Promise<void> {
    await this.context?.close();
    this.context = await this.browser.newContext(options);
    this.page = await this.context.newPage();
    // Playwright has Chromium hand over file choosers from the first listener on, and does not wait until it does: listening only beside the
    // key that opens one comes too late on a busy machine.
    this.page.on('filechooser', () => {});
    this.complaints = complaintsOf(this.page);
  }

  async closePage(): Promise<void> {
    await this.context.close();
    this.wire.rate = Number.POSITIVE_INFINITY;
    this.wire.mend();
    this.aheadMs = 0;
  }

  /** A file on disk with content of its own. */
  aFileOf(name: string, bytes: number): string {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, randomBytes(bytes));
    return file;
  }

  async visit(link: string): Promise<Response | null> {
    return await this.page.goto(`${this.app.url}/d/${link}`);
  }

  /** The page is shown when it listens; after a reload it waits up to a second for the one before to let go. */
  async ready(): Promise<void> {
    await this.page.locator('#upload').waitFor();
  }

  async choose(...files: string[]): Promise<void> {
    await this.ready();
    await this.page.locator('input[type=file]').setInputFiles(files);
  }

  async press(name: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name }).click();
  }

  heading(name: string | RegExp): Locator {
    return this.page.getByRole('heading', { name });
  }

  async delivered(timeout = 45_000): Promise<void> {
    await this.heading(/files? delivered/).waitFor({ timeout });
  }

  /** Waits until at least so many percent are uploaded. */
  async reach(least: number): Promise<void> {
    const percent = async () => Number.parseInt((await this.page.locator('#percent').textContent()) ?? '', 10) || 0;
    await eventually(async () => (await percent()) >= least);
  }

  /** Bytes that went over the wire in this time. */
  async stillFor(milliseconds: number): Promise<number> {
    const before = this.wire.sent;
    await this.page.waitForTimeout(milliseconds);
    return this.wire.sent - before;
  }

  /** What arrived at a dropsite: names and sizes of its successful items. */
  async arrived({ id }: { id: number }) {
    const sql = `SELECT item.file_name AS name, item.file_extension AS extension, item.file_size::int AS size FROM media_items item
      JOIN media_containers container ON container.id = item.media_container_id
      WHERE container.origin = $1 AND item.status = 'successful' ORDER BY item.id`;
    const { rows } = await this.app.app.get(Database).query<{ name: string; extension: string; size: number }>(sql, [id]);
    return rows.map(({ name, extension, size }) => [`${name}.${extension}`, size]);
  }
}

/** The stage of a test file: it stands before the first test and is gone after the last. */
export function stageUploadPages(): UploadPageStage {
  const stage = new UploadPageStage();
  beforeAll(async () => await stage.start());
  afterAll(async () => await stage.stop());
  beforeEach(async () => await stage.open());
  afterEach(async () => await stage.closePage());
  return stage;
}
