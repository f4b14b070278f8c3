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
import { call } from '../support/uploads.js';
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
  // Playwright has Chromium hand over file choosers from the first listener on, and does not wait until it does: listening only beside the
  // key that opens one comes too late on a busy machine.
  page.on('filechooser', () => {});
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
/** The page is shown when it listens; after a reload it waits up to a second for the one before to let go. */
const ready = async () => await page.locator('#upload').waitFor();
async function choose(...files: string[]): Promise<void> {
  await ready();
  await page.locator('input[type=file]').setInputFiles(files);
}
const press = async (name: string | RegExp) => await page.getByRole('button', { name }).click();
const heading = (name: string | RegExp) => page.getByRole('heading', { name });
const delivered = async (timeout = 45_000) => await heading(/files? delivered/).waitFor({ timeout });
const percent = async () => Number.parseInt((await page.locator('#percent').textContent()) ?? '', 10) || 0;
const reach = async (least: number) => await eventually(async () => (await percent()) >= least, 30_000);

/** What arrived at a dropsite: names and sizes of its successful items. */
async function arrived({ id }: { id: number }) {
  const sql = `SELECT item.file_name AS name, item.file_extension AS extension, item.file_size::int AS size FROM media_items item
    JOIN media_containers container ON container.id = item.media_container_id
    WHERE container.origin = $1 AND item.status = 'successful' ORDER BY item.id`;
  const { rows } = await app.app.get(Database).query<{ name: string; extension: string; size: number }>(sql, [id]);
  return rows.map(({ name, extension, size }) => [`${name}.${extension}`, size]);
}

describe('a stranger with a link', () => {
  it('delivers several files and gets a receipt, on the page, as text and as JSON', async () => {
    const { dropsite } = await aDropsite(app, { name: 'Photos of the party', description: 'Everything that you took, please.' });
    const files = [aFileOf('several/portrait.jpg', 300_000), aFileOf('several/speech.mp4', 12 * MB), aFileOf('several/nothing.txt', 0)];
    await visit(dropsite.link);
    await choose(...files);
    await press('Upload 3 files, 12.3 MB');
    await delivered();
    expect(await heading(/files? delivered/).textContent()).toBe('3 files delivered, 12.3\u00a0MB');
    for (const file of files) await page.getByText(sha256(file)).waitFor();
    expect(await arrived(dropsite)).toEqual([
      ['portrait.jpg', 300_000],
      ['speech.mp4', 12 * MB],
      ['nothing.txt', 0],
    ]);
    const names = (await eventsOf(app, dropsite)).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(['event:dropsiteUploadStarted', 'event:uploadComplete', 'event:dropsiteUploadComplete']));
    const text = await download('Save as text');
    for (const file of files) expect(text).toContain(`${sha256(file)}  ${path.basename(file)}\n`);
    const receipt = JSON.parse(await download('Save as JSON'));
    expect(receipt).toMatchObject({ deliveredTo: 'Photos of the party', totalSize: 12.3 * MB, notDelivered: [] });
    expect(receipt.files[1]).toMatchObject({ name: 'speech.mp4', size: 12 * MB, sha256: sha256(files[1] ?? '') });
    await takePicture(page, 'upload delivered');
    await press('Send more files');
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('drops a folder together with a file, and what systems leave in folders stays behind', async () => {
    const { dropsite } = await aDropsite(app);
    const files = [aFileOf('trip/day 1/IMG_1.jpg', 1_000), aFileOf('trip/day 2/IMG_1.jpg', 1_000), aFileOf('trip/.DS_Store', 10)];
    const single = aFileOf('map.pdf', 2_000);
    await visit(dropsite.link);
    await drop(path.join(folder, 'trip'), single);
    await page.getByRole('button', { name: 'Remove trip/day 2/IMG_1.jpg' }).waitFor();
    await press('Upload 3 files, 4 kB');
    await delivered();
    expect((await arrived(dropsite)).sort()).toEqual([
      ['map.pdf', 2_000],
      ['trip/day 1/IMG_1.jpg', 1_000],
      ['trip/day 2/IMG_1.jpg', 1_000],
    ]);
    expect([files.length, complaints]).toEqual([3, []]);
  });

  it('delivers a folder that is chosen with the button', async () => {
    const { dropsite } = await aDropsite(app);
    for (let index = 0; index < 25; index += 1) aFileOf(`many/${index}.txt`, 3);
    await visit(dropsite.link);
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press('Choose a folder')]);
    await chooser.setFiles(path.join(folder, 'many'));
    await press('Upload 25 files, 75 bytes');
    await delivered();
    expect((await arrived(dropsite)).map(([name]) => name)).toContain('many/24.txt');
    expect(await page.getByRole('row').count()).toBe(26);
    expect(complaints).toEqual([]);
  });

  it('pauses and resumes', async () => {
    const { dropsite } = await aDropsite(app);
    await visit(dropsite.link);
    await choose(aFileOf('pause.bin', 30 * MB));
    wire.rate = 6 * MB;
    await press(/^Upload/);
    await reach(20);
    await press('Pause');
    await heading('Paused').waitFor();
    await eventually(async () => (await stillFor(400)) === 0, 5_000);
    expect(await stillFor(1_000)).toBe(0);
    wire.rate = Number.POSITIVE_INFINITY;
    await press('Resume');
    await delivered();
    expect(await arrived(dropsite)).toEqual([['pause.bin', 30 * MB]]);
    expect(complaints).toEqual([]);
  });

  it('is warned before leaving while something is under way, and only then', async () => {
    const { dropsite } = await aDropsite(app);
    const asked: string[] = [];
    const inANewTab = async () => {
      page = await context.newPage(); // the first tab stays: Chromium ends with its last one
      page.on('dialog', (dialog) => {
        asked.push(dialog.type());
        void (dialog.type() === 'confirm' ? dialog.accept() : dialog.dismiss());
      });
      await visit(dropsite.link);
      await choose(aFileOf('leave.bin', 20 * MB));
    };
    await inANewTab();
    await page.close({ runBeforeUnload: true });
    await eventually(() => page.isClosed());
    expect(asked).toEqual([]);
    await inANewTab();
    wire.rate = 2 * MB;
    await press(/^Upload/);
    await reach(5);
    await page.close({ runBeforeUnload: true });
    await eventually(() => asked.length > 0);
    expect(asked).toEqual(['beforeunload']);
    expect(page.isClosed()).toBe(false);
    await press('Cancel'); // Chromium can crash when a page that asks is torn down
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
  });

  it('ends an upload for good, and what is half there is freed', async () => {
    const { dropsite } = await aDropsite(app);
    await visit(dropsite.link);
    page.on('dialog', (dialog) => void dialog.accept());
    await choose(aFileOf('cancel.bin', 30 * MB));
    wire.rate = 6 * MB;
    await press(/^Upload/);
    await reach(20);
    await press('Cancel');
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    await eventually(async () => (await stillFor(300)) === 0, 5_000);
    await page.reload();
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    expect(await heading('Go on with your upload').isVisible()).toBe(false);
  });
});

describe('a line that breaks', () => {
  it('is tried again by itself, and no byte that arrived goes over it twice', async () => {
    const { dropsite } = await aDropsite(app);
    await visit(dropsite.link);
    await choose(aFileOf('break.bin', 80 * MB));
    const before = wire.sent;
    wire.rate = 12 * MB;
    await press(/^Upload/);
    await reach(30);
    wire.cut();
    await page.getByText('No connection').waitFor();
    await takePicture(page, 'upload without connection');
    wire.mend();
    wire.rate = Number.POSITIVE_INFINITY;
    await delivered();
    const ratio = (wire.sent - before) / (80 * MB);
    report('a broken line', ratio);
    expect(ratio).toBeLessThan(1.1);
    expect(await arrived(dropsite)).toEqual([['break.bin', 80 * MB]]);
  });

  it('is tried at once when the person wants it, or when the browser is on line again', async () => {
    const { dropsite } = await aDropsite(app);
    await visit(dropsite.link);
    await choose(aFileOf('offline.bin', 20 * MB));
    wire.rate = 6 * MB;
    await press(/^Upload/);
    await reach(10);
    await context.setOffline(true);
    await page.getByText('No connection').waitFor();
    await press('Try now');
    await page.getByText('Next try').waitFor();
    await context.setOffline(false);
    wire.rate = Number.POSITIVE_INFINITY;
    await delivered();
    expect(await arrived(dropsite)).toEqual([['offline.bin', 20 * MB]]);
  });

  it('is no reason to lose what the storage refused for a while', async () => {
    const { dropsite } = await aDropsite(app);
    let refusals = 2;
    await page.route(`${wire.url}/**`, async (route) => {
      if (route.request().method() !== 'PUT' || refusals-- <= 0) return await route.continue();
      const headers = { 'access-control-allow-origin': '*', 'content-type': 'application/xml' };
      await route.fulfill({ status: 503, headers, body: '<Error><Code>SlowDown</Code><Message>Please slow down.</Message></Error>' });
    });
    await visit(dropsite.link);
    await choose(aFileOf('busy.txt', 1_000));
    await press(/^Upload/);
    await delivered();
    expect(await arrived(dropsite)).toEqual([['busy.txt', 1_000]]);
  });
});

describe('a page that is loaded again in the middle', () => {
  const SIZE = 80 * MB;

  it('goes on where it stopped, with the same file chosen again', async () => {
    const { dropsite } = await aDropsite(app);
    const [large, small] = [aFileOf('reload.mov', SIZE), aFileOf('reload.txt', 5_000)];
    await visit(dropsite.link);
    await choose(large, small);
    const before = wire.sent;
    wire.rate = 12 * MB;
    await press(/^Upload/);
    await reach(50);
    await page.reload();
    wire.rate = Number.POSITIVE_INFINITY;
    await heading('Go on with your upload').waitFor();
    await takePicture(page, 'upload to go on with');
    await choose(large, small);
    await press('Resume the upload');
    await delivered();
    const ratio = (wire.sent - before) / (SIZE + 5_000);
    report('a reload', ratio);
    expect(ratio).toBeLessThan(1.1);
    expect((await arrived(dropsite)).sort()).toEqual([
      ['reload.mov', SIZE],
      ['reload.txt', 5_000],
    ]);
    await page.getByText(sha256(large)).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    expect(await heading('Go on with your upload').isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('tells that a file has changed, and sends it from the beginning', async () => {
    const { dropsite } = await aDropsite(app);
    const file = aFileOf('changed.bin', 30 * MB);
    await visit(dropsite.link);
    await choose(file);
    wire.rate = 8 * MB;
    await press(/^Upload/);
    await reach(30);
    await page.reload();
    wire.rate = Number.POSITIVE_INFINITY;
    await heading('Go on with your upload').waitFor();
    aFileOf('changed.bin', 31 * MB);
    await choose(file);
    await page.getByText('Changed since, so it is sent from the beginning: changed.bin.', { exact: true }).waitFor();
    await press('Resume the upload');
    await delivered();
    expect(await arrived(dropsite)).toEqual([['changed.bin', 31 * MB]]);
  });

  it('goes on without files that are not there any more, or forgets it all', async () => {
    const { dropsite } = await aDropsite(app);
    const [one, two] = [aFileOf('stay.bin', 15 * MB), aFileOf('gone.bin', 15 * MB)];
    const interrupt = async () => {
      await choose(one, two);
      wire.rate = 8 * MB;
      await press(/^Upload/);
      await reach(10);
      await page.reload();
      wire.rate = Number.POSITIVE_INFINITY;
      await heading('Go on with your upload').waitFor();
    };
    page.on('dialog', (dialog) => void dialog.accept());
    await visit(dropsite.link);
    await interrupt();
    await press('Forget it and begin a new one');
    await interrupt();
    await choose(one);
    await press('Go on without 1 file');
    await delivered();
    expect(await page.getByText('gone.bin – left out').isVisible()).toBe(true);
    expect(await arrived(dropsite)).toEqual([['stay.bin', 15 * MB]]);
  });

  it('goes on as the same sender, without a token that was kept', async () => {
    const { dropsite } = await aDropsite(app, { allowAnonymous: false });
    const file = aFileOf('sender.bin', 30 * MB);
    await visit(dropsite.link);
    await choose(file);
    await page.getByLabel('E-mail').fill('Grace@example.org');
    await page.getByLabel('First name').fill('Grace');
    wire.rate = 8 * MB;
    await press(/^Upload/);
    await reach(30);
    const kept = await page.evaluate<string>('JSON.stringify({ ...localStorage })');
    expect(kept).toContain('grace@example.org');
    expect(kept).not.toMatch(/eyJ|Bearer|SessionToken|SecretAccessKey/);
    await page.reload();
    wire.rate = Number.POSITIVE_INFINITY;
    await choose(file);
    await press('Resume the upload');
    await delivered();
    expect(await arrived(dropsite)).toEqual([['sender.bin', 30 * MB]]);
    const complete = (await eventsOf(app, dropsite)).find(({ name }) => name === 'event:dropsiteUploadComplete');
    expect(complete?.payload.email).toBe('grace@example.org');
  });
});

describe('credentials that expire in the middle', () => {
  it('are renewed, and the upload goes on', async () => {
    const { dropsite } = await aDropsite(app);
    aheadMs = -14 * 60_000; // as far behind as the storage bears
    await visit(dropsite.link);
    await choose(aFileOf('expire.bin', 40 * MB));
    const before = wire.sent;
    wire.rate = 8 * MB;
    await press(/^Upload/);
    await reach(30);
    aheadMs = 3 * 60_000; // the fifteen minutes are over
    wire.rate = Number.POSITIVE_INFINITY;
    await delivered();
    expect((wire.sent - before) / (40 * MB)).toBeLessThan(1.2);
    expect(await arrived(dropsite)).toEqual([['expire.bin', 40 * MB]]);
  });

  it('is no trouble for a computer whose clock is wrong', async () => {
    const { dropsite } = await aDropsite(app);
    await page.clock.setSystemTime(Date.now() - 3 * 3_600_000);
    await visit(dropsite.link);
    await choose(aFileOf('clock.bin', 9 * MB));
    await press(/^Upload/);
    await delivered();
    expect(await arrived(dropsite)).toEqual([['clock.bin', 9 * MB]]);
  });
});

describe('a dropsite with rules', () => {
  it('asks for its password, and says when it is wrong', async () => {
    const { dropsite } = await aDropsite(app, { password: 'open sesame' });
    await visit(dropsite.link);
    await choose(aFileOf('secret.txt', 10));
    await press(/^Upload/);
    await page.getByRole('alert').getByText('A password is needed').waitFor();
    await page.getByLabel('Password').fill('abracadabra');
    await press(/^Upload/);
    await page.getByRole('alert').getByText('That is not the password').waitFor();
    expect(await page.getByLabel('Password').evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await takePicture(page, 'upload wrong password');
    await page.getByLabel('Password').fill('open sesame');
    await press(/^Upload/);
    await delivered();
    expect(await arrived(dropsite)).toEqual([['secret.txt', 10]]);
  });

  it('wants to know who sends, where it accepts no anonymous senders', async () => {
    const { dropsite } = await aDropsite(app, { allowAnonymous: false, password: 'open sesame' });
    await visit(dropsite.link);
    await choose(aFileOf('known.txt', 10));
    await page.getByLabel('Password').fill('open sesame');
    await press(/^Upload/);
    await page.getByRole('alert').getByText('Your e-mail address is needed').waitFor();
    await page.getByLabel('E-mail').fill('not an address');
    await press(/^Upload/);
    await page.getByRole('alert').getByText('Check your e-mail address').waitFor();
    await page.getByLabel('E-mail').fill('ada@example.org');
    await press(/^Upload/);
    await delivered();
    expect(await arrived(dropsite)).toEqual([['known.txt', 10]]);
  });

  it('says which types it takes, and leaves the others out before anything is sent', async () => {
    const { dropsite } = await aDropsite(app, { allowedTypes: ['image', 'video'] });
    await visit(dropsite.link);
    await page.getByText('Videos and images only.').or(page.getByText('Images and videos only.')).waitFor();
    await choose(aFileOf('types/a.jpg', 10), aFileOf('types/b.pdf', 10));
    await page.getByText(/Will not be sent\. This dropsite takes (images and videos|videos and images) only\./).waitFor();
    await press('Upload 1 file, 10 bytes');
    await delivered();
    expect(await arrived(dropsite)).toEqual([['a.jpg', 10]]);
  });

  it('says when its limit is passed: before, if that can be known, and otherwise when the service refuses', async () => {
    const { dropsite } = await aDropsite(app, { maxItemsPerDay: 2 });
    const [one, two, three] = [aFileOf('limit/1.txt', 1), aFileOf('limit/2.txt', 2), aFileOf('limit/3.txt', 3)];
    await visit(dropsite.link);
    await choose(one, two, three);
    await press(/^Upload/);
    await page.getByRole('alert').getByText('It takes at most 2 files a day, and you chose 3.').waitFor();
    await press('Remove 3.txt');
    await press('Upload 2 files, 3 bytes');
    await delivered();
    await press('Send more files');
    await choose(three);
    await press(/^Upload/);
    await page.getByRole('alert').getByText('This dropsite is full for today').waitFor();
    await takePicture(page, 'upload limit');
    expect((await arrived(dropsite)).length).toBe(2);
  });

  it('lets the person decide about files that are sent twice', async () => {
    const { dropsite } = await aDropsite(app);
    const [one, two] = [aFileOf('twice/1.txt', 10), aFileOf('twice/2.txt', 10)];
    const [fresh, alike] = [aFileOf('twice/3.txt', 10), aFileOf('twice/other/3.txt', 10)];
    utimesSync(alike, 1, 1);
    await visit(dropsite.link);
    await choose(one, two);
    await press(/^Upload/);
    await delivered();
    await press('Send more files');
    await choose(one, two, fresh);
    await choose(alike);
    await press('Upload 4 files, 40 bytes');
    await heading('3 files seem to be duplicates').waitFor();
    await takePicture(page, 'upload duplicates');
    await page.getByLabel('2.txt').check();
    await press('Upload 1 of 3 anyway');
    await heading('2 files delivered').waitFor();
    expect(await page.getByText('1.txt – left out').isVisible()).toBe(true);
    await press('Send more files');
    await choose(one);
    await press(/^Upload/);
    await press('Leave it out');
    await page.getByRole('alert').getByText('Nothing was sent').waitFor();
    expect((await arrived(dropsite)).map(([name]) => name)).toEqual(['1.txt', '2.txt', '2.txt', '3.txt']);
  });

  it('has a page that says that it has expired, or that there is none', async () => {
    const { dropsite } = await aDropsite(app, { expiresAt: new Date(Date.now() - 1_000).toISOString() });
    expect((await visit(dropsite.link))?.status()).toBe(410);
    await page.getByText('This dropsite has expired').waitFor();
    await page.getByText('Ask whoever sent you the link for another one.').waitFor();
    await takePicture(page, 'upload expired');
    expect((await visit('b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11'))?.status()).toBe(404);
    await page.getByText('There is no dropsite under this link.').waitFor();
  });

  it('that expires while files are chosen is told kindly', async () => {
    const { dropsite, token } = await aDropsite(app);
    await visit(dropsite.link);
    await choose(aFileOf('late.txt', 10));
    const body = { expiresAt: new Date(Date.now() - 1_000).toISOString() };
    await call(`${app.url}/v5/dropsite/${dropsite.id}`, { method: 'PUT', token, body });
    await press(/^Upload/);
    await page.getByRole('alert').getByText('This dropsite has expired').waitFor();
  });
});

describe('a file that changes on the disk while it is uploaded', () => {
  it('fails by itself, and the others are delivered', async () => {
    const { dropsite } = await aDropsite(app);
    const [moving, fine] = [aFileOf('moving.bin', 30 * MB), aFileOf('fine.txt', 10)];
    await visit(dropsite.link);
    await choose(fine, moving);
    wire.rate = 8 * MB;
    await press(/^Upload/);
    await reach(20);
    aFileOf('moving.bin', 29 * MB);
    wire.rate = Number.POSITIVE_INFINITY;
    await heading('1 file could not be uploaded').waitFor();
    await page.getByText('Failed. It cannot be read any more.').waitFor();
    await takePicture(page, 'upload failed file');
    await press('Try again');
    await page.getByText('Failed. It cannot be read any more.').waitFor();
    await press('Finish without it');
    await heading('1 file delivered').waitFor();
    expect(await arrived(dropsite)).toEqual([['fine.txt', 10]]);
  });
});

describe('the page', () => {
  it('can be used by keyboard alone', async () => {
    const { dropsite } = await aDropsite(app, { password: 'open sesame' });
    const file = aFileOf('keys.txt', 10);
    await visit(dropsite.link);
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    await tabTo('Choose files');
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')]);
    await chooser.setFiles([file, aFileOf('keys-2.txt', 20)]);
    await tabTo('Remove keys-2.txt');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove keys-2.txt' }).waitFor({ state: 'detached' });
    expect(await focused()).toBe('Remove keys.txt');
    await tabTo('password');
    await page.keyboard.type('open sesame');
    await page.keyboard.press('Enter');
    await delivered();
    await eventually(async () => (await focused()).includes('delivered'));
    await tabTo('Send more files');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    expect(await focused()).toBe('Choose files');
  });

  it('names every control, has no id twice, and tells progress without chattering', async () => {
    const { dropsite } = await aDropsite(app, { password: 'open sesame' });
    await visit(dropsite.link);
    await choose(aFileOf('named.bin', 30 * MB));
    expect(await flaws()).toEqual([]);
    await page.getByLabel('Password').fill('open sesame');
    await page.evaluate(`
      globalThis.spoken = [];
      const region = document.querySelector('[role=status]');
      new MutationObserver(() => spoken.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
    `);
    wire.rate = 8 * MB;
    await press(/^Upload/);
    await reach(30);
    expect(await flaws()).toEqual([]);
    expect(await page.getByRole('progressbar', { name: 'Uploading 1 file' }).count()).toBe(1);
    expect(await page.getByRole('progressbar', { name: 'Progress of named.bin' }).count()).toBe(1);
    await delivered();
    const spoken = await page.evaluate<string[]>('spoken');
    expect(spoken[0]).toBe('The upload has begun.');
    expect(spoken.length).toBeLessThan(4);
    expect(await flaws()).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('fits a phone of 360 pixels in every state (%s)', async (colorScheme) => {
    await open({ viewport: { width: 360, height: 740 }, hasTouch: true, colorScheme });
    const { dropsite } = await aDropsite(app, { name: `A${'n'.repeat(60)}ame`, description: 'x'.repeat(90), allowAnonymous: false });
    const file = aFileOf(`phone/${'a-very-long-name-'.repeat(6)}.bin`, 30 * MB);
    await visit(dropsite.link);
    const fits = async (state: string) => {
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      const controls = await page.locator('button:visible, input:visible, a:visible').all();
      const heights = await Promise.all(controls.map(async (control) => (await control.boundingBox())?.height ?? 0));
      const small = heights.filter((height) => height < 24); // WCAG 2.5.8
      expect([state, width, small]).toEqual([state, 360, []]);
      await takePicture(page, `upload phone ${colorScheme} ${state}`);
    };
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    await fits('empty');
    await choose(file);
    await fits('chosen');
    await press(/^Upload/);
    await fits('needs e-mail');
    await page.getByLabel('E-mail').fill('ada@example.org');
    wire.rate = 6 * MB;
    await press(/^Upload/);
    await reach(10);
    await fits('running');
    await press('Pause');
    await heading('Paused').waitFor();
    await fits('paused');
    await press('Resume');
    wire.cut();
    await page.getByText('No connection').waitFor();
    await fits('no connection');
    wire.mend();
    await page.reload();
    await heading('Go on with your upload').waitFor();
    await fits('to go on with');
    wire.rate = Number.POSITIVE_INFINITY;
    await choose(file);
    await press('Resume the upload');
    await delivered();
    await fits('delivered');
  });

  it('allows its scripts what they need and nothing else', async () => {
    const { dropsite } = await aDropsite(app);
    const response = await visit(dropsite.link);
    expect(response?.headers()['content-security-policy']).toBe(
      `default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self' ${wire.url}; worker-src 'self'; ` +
        `form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(await response?.text()).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/i);
  });

  it('says that it needs JavaScript', async () => {
    await open({ javaScriptEnabled: false });
    const { dropsite } = await aDropsite(app);
    await visit(dropsite.link);
    expect(await page.locator('noscript').innerText()).toContain('Uploading needs JavaScript.');
    await takePicture(page, 'upload without JavaScript');
    expect(await page.getByRole('button').count()).toBe(0);
  });

  it('says that it needs a secure connection', async () => {
    await page.addInitScript("Object.defineProperty(window, 'isSecureContext', { value: false })");
    const { dropsite } = await aDropsite(app);
    await visit(dropsite.link);
    await page.getByText('Uploading needs a secure connection').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
  });

  it('writes hostile names as text', async () => {
    const { dropsite } = await aDropsite(app, { name: '<img src=x onerror=alert(1)>"', description: '</p><script>alert(1)</script>' });
    await visit(dropsite.link);
    await choose(aFileOf('<img src=x onerror=alert(1)>.txt', 10));
    await press(/^Upload/);
    await delivered();
    expect(await page.locator('img').count()).toBe(1); // the logo
    expect(complaints).toEqual([]);
  });
});

/** Bytes that went over the wire in this time. */
async function stillFor(milliseconds: number): Promise<number> {
  const before = wire.sent;
  await page.waitForTimeout(milliseconds);
  return wire.sent - before;
}

/** Drops files and folders on the middle of the target, as a file manager does. */
async function drop(...files: string[]): Promise<void> {
  await ready();
  const box = await page.locator('#drop').boundingBox();
  if (!box) throw new Error('There is nothing to drop on.');
  const session = await context.newCDPSession(page);
  const at = { x: box.x + box.width / 2, y: box.y + 20, data: { items: [], files, dragOperationsMask: 1 } };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await session.send('Input.dispatchDragEvent', { type, ...at });
}

async function download(name: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), press(name)]);
  return readFileSync(await file.path(), 'utf8');
}

/** What the keyboard is on: label, text or id. */
async function focused(): Promise<string> {
  const element = page.locator(':focus');
  if ((await element.count()) === 0) return '';
  return (await element.getAttribute('aria-label')) || (await element.textContent())?.trim() || (await element.getAttribute('id')) || '';
}

async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses += 1) {
    if ((await focused()) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not come to ${name}; it is on ${await focused()}.`);
}

/** What stands between the page and people who use it with a screen reader. */
async function flaws(): Promise<string[]> {
  return await page.evaluate<string[]>(`(() => {
    const visible = (element) => element.checkVisibility();
    const nameOf = (element) => {
      const labels = [...(element.labels ?? [])].map(({ textContent }) => textContent);
      const others = (element.getAttribute('aria-labelledby')?.split(' ') ?? []).map((id) => document.getElementById(id)?.textContent);
      return [element.getAttribute('aria-label'), ...labels, ...others, element.textContent].join('').trim();
    };
    const controls = [...document.querySelectorAll('button, input, progress, section, ul[aria-label]')].filter(visible);
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    const levels = [...document.querySelectorAll('h1, h2, h3')].filter(visible).map(({ tagName }) => Number(tagName[1]));
    const described = [...document.querySelectorAll('[aria-describedby]')].map((element) => element.getAttribute('aria-describedby'));
    return [
      ...controls.filter((control) => nameOf(control) === '').map(({ outerHTML }) => 'no name: ' + outerHTML),
      ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => 'twice: ' + id),
      ...levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1).map((level) => 'a heading under none, of level ' + level),
      ...described.filter((id) => !document.getElementById(id)).map((id) => 'describes nothing: ' + id),
    ];
  })()`);
}

/** For whoever wants to see how near to the limit it is. */
function report(what: string, ratio: number): void {
  if (process.env.SCREENSHOT_DIR) console.log(`bytes on the wire after ${what}: ${ratio.toFixed(3)} × the size`);
}
