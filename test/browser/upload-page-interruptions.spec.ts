import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { takePicture } from '../support/browser/chromium.js';
import { stageUploadPages } from '../support/browser/upload-page-stage.js';
import { aDropsite, eventsOf } from '../support/delivery/dropsites.js';

const MB = 1_000_000;

const stage = stageUploadPages();
const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('a lost connection', () => {
  it('is retried automatically, and no arrived byte is sent twice', async () => {
    const { dropsite } = await aDropsite(stage.app);
    await stage.visit(dropsite.link);
    await stage.choose(stage.aFileOf('break.bin', 80 * MB));
    const before = stage.wire.sent;
    stage.wire.rate = 12 * MB;
    await stage.press(/^Upload/);
    await stage.reach(30);
    stage.wire.cut();
    await stage.page.getByText('No connection').waitFor();
    await takePicture(stage.page, 'upload without connection');
    stage.wire.mend();
    stage.wire.rate = Number.POSITIVE_INFINITY;
    await stage.delivered();
    const ratio = (stage.wire.sent - before) / (80 * MB);
    report('a broken line', ratio);
    expect(ratio).toBeLessThan(1.1);
    expect(await stage.arrived(dropsite)).toEqual([['break.bin', 80 * MB]]);
  });

  it('is retried immediately on request, or when the browser is online again', async () => {
    const { dropsite } = await aDropsite(stage.app);
    await stage.visit(dropsite.link);
    await stage.choose(stage.aFileOf('offline.bin', 20 * MB));
    stage.wire.rate = 6 * MB;
    await stage.press(/^Upload/);
    await stage.reach(10);
    await stage.context.setOffline(true);
    await stage.page.getByText('No connection').waitFor();
    await stage.press('Try now');
    await stage.page.getByText('Next attempt').waitFor();
    await stage.context.setOffline(false);
    stage.wire.rate = Number.POSITIVE_INFINITY;
    await stage.delivered();
    expect(await stage.arrived(dropsite)).toEqual([['offline.bin', 20 * MB]]);
  });

  it('does not lose files that the storage refused temporarily', async () => {
    const { dropsite } = await aDropsite(stage.app);
    let refusals = 2;
    await stage.page.route(`${stage.wire.url}/**`, async (route) => {
      if (route.request().method() !== 'PUT' || refusals-- <= 0) return await route.continue();
      const headers = { 'access-control-allow-origin': '*', 'content-type': 'application/xml' };
      await route.fulfill({ status: 503, headers, body: '<Error><Code>SlowDown</Code><Message>Please slow down.</Message></Error>' });
    });
    await stage.visit(dropsite.link);
    await stage.choose(stage.aFileOf('busy.txt', 1_000));
    await stage.press(/^Upload/);
    await stage.delivered();
    expect(await stage.arrived(dropsite)).toEqual([['busy.txt', 1_000]]);
  });
});

describe('a page that is reloaded during an upload', () => {
  const SIZE = 80 * MB;

  it('continues where it stopped when the same file is chosen again', async () => {
    const { dropsite } = await aDropsite(stage.app);
    const [large, small] = [stage.aFileOf('reload.mov', SIZE), stage.aFileOf('reload.txt', 5_000)];
    await stage.visit(dropsite.link);
    await stage.choose(large, small);
    const before = stage.wire.sent;
    stage.wire.rate = 12 * MB;
    await stage.press(/^Upload/);
    await stage.reach(50);
    await stage.page.reload();
    stage.wire.rate = Number.POSITIVE_INFINITY;
    await stage.heading('Continue your upload').waitFor();
    await takePicture(stage.page, 'upload to go on with');
    await stage.choose(large, small);
    await stage.press('Resume the upload');
    await stage.delivered();
    const ratio = (stage.wire.sent - before) / (SIZE + 5_000);
    report('a reload', ratio);
    expect(ratio).toBeLessThan(1.1);
    expect((await stage.arrived(dropsite)).sort()).toEqual([
      ['reload.mov', SIZE],
      ['reload.txt', 5_000],
    ]);
    await stage.page.getByText(sha256(large)).waitFor();
    await stage.page.reload();
    await stage.page.getByRole('button', { name: 'Choose files' }).waitFor();
    expect(await stage.heading('Continue your upload').isVisible()).toBe(false);
    expect(stage.complaints).toEqual([]);
  });

  it('reports a changed file, and sends it from the beginning', async () => {
    const { dropsite } = await aDropsite(stage.app);
    const file = stage.aFileOf('changed.bin', 30 * MB);
    await stage.visit(dropsite.link);
    await stage.choose(file);
    stage.wire.rate = 8 * MB;
    await stage.press(/^Upload/);
    await stage.reach(30);
    await stage.page.reload();
    stage.wire.rate = Number.POSITIVE_INFINITY;
    await stage.heading('Continue your upload').waitFor();
    stage.aFileOf('changed.bin', 31 * MB);
    await stage.choose(file);
    await stage.page.getByText('Changed files, which are sent from the beginning: changed.bin.', { exact: true }).waitFor();
    await stage.press('Resume the upload');
    await stage.delivered();
    expect(await stage.arrived(dropsite)).toEqual([['changed.bin', 31 * MB]]);
  });

  it('continues without missing files, or discards the upload', async () => {
    const { dropsite } = await aDropsite(stage.app);
    const [one, two] = [stage.aFileOf('stay.bin', 15 * MB), stage.aFileOf('gone.bin', 15 * MB)];
    const interrupt = async () => {
      await stage.choose(one, two);
      stage.wire.rate = 8 * MB;
      await stage.press(/^Upload/);
      await stage.reach(10);
      await stage.page.reload();
      stage.wire.rate = Number.POSITIVE_INFINITY;
      await stage.heading('Continue your upload').waitFor();
    };
    stage.page.on('dialog', (dialog) => void dialog.accept());
    await stage.visit(dropsite.link);
    await interrupt();
    await stage.press('Discard it and start a new one');
    await interrupt();
    await stage.choose(one);
    await stage.press('Continue without 1 file');
    await stage.delivered();
    expect(await stage.page.getByText('gone.bin – left out').isVisible()).toBe(true);
    expect(await stage.arrived(dropsite)).toEqual([['stay.bin', 15 * MB]]);
  });

  it('continues as the same sender without a stored token', async () => {
    const { dropsite } = await aDropsite(stage.app, { allowAnonymous: false });
    const file = stage.aFileOf('sender.bin', 30 * MB);
    await stage.visit(dropsite.link);
    await stage.choose(file);
    await stage.page.getByLabel('E-mail').fill('Grace@example.org');
    await stage.page.getByLabel('First name').fill('Grace');
    stage.wire.rate = 8 * MB;
    await stage.press(/^Upload/);
    await stage.reach(30);
    const kept = await stage.page.evaluate<string>('JSON.stringify({ ...localStorage })');
    expect(kept).toContain('grace@example.org');
    expect(kept).not.toMatch(/eyJ|Bearer|SessionToken|SecretAccessKey/);
    await stage.page.reload();
    stage.wire.rate = Number.POSITIVE_INFINITY;
    await stage.choose(file);
    await stage.press('Resume the upload');
    await stage.delivered();
    expect(await stage.arrived(dropsite)).toEqual([['sender.bin', 30 * MB]]);
    const complete = (await eventsOf(stage.app, dropsite)).find(({ name }) => name === 'event:dropsiteUploadComplete');
    expect(complete?.payload.email).toBe('grace@example.org');
  });
});

describe('credentials that expire during an upload', () => {
  it('are renewed, and the upload continues', async () => {
    const { dropsite } = await aDropsite(stage.app);
    stage.aheadMs = -14 * 60_000; // as far behind as the storage bears
    await stage.visit(dropsite.link);
    await stage.choose(stage.aFileOf('expire.bin', 40 * MB));
    const before = stage.wire.sent;
    stage.wire.rate = 8 * MB;
    await stage.press(/^Upload/);
    await stage.reach(30);
    stage.aheadMs = 3 * 60_000; // the fifteen minutes are over
    stage.wire.rate = Number.POSITIVE_INFINITY;
    await stage.delivered();
    expect((stage.wire.sent - before) / (40 * MB)).toBeLessThan(1.2);
    expect(await stage.arrived(dropsite)).toEqual([['expire.bin', 40 * MB]]);
  });

  it('work on a computer with a wrong clock', async () => {
    const { dropsite } = await aDropsite(stage.app);
    await stage.page.clock.setSystemTime(Date.now() - 3 * 3_600_000);
    await stage.visit(dropsite.link);
    await stage.choose(stage.aFileOf('clock.bin', 9 * MB));
    await stage.press(/^Upload/);
    await stage.delivered();
    expect(await stage.arrived(dropsite)).toEqual([['clock.bin', 9 * MB]]);
  });
});

/** Prints how near to the limit it is. */
function report(what: string, ratio: number): void {
  if (process.env.SCREENSHOT_DIR) console.log(`bytes on the wire after ${what}: ${ratio.toFixed(3)} × the size`);
}
