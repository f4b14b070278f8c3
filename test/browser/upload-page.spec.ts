import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { takePicture } from '../support/browser/chromium.js';
import { stageUploadPages } from '../support/browser/upload-page-stage.js';
import { aDropsite, eventsOf } from '../support/delivery/dropsites.js';
import { eventually } from '../support/eventually.js';

const MB = 1_000_000;

const stage = stageUploadPages();
const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('an anonymous sender', () => {
  it('delivers several files and gets a receipt, on the page, as text and as JSON', async () => {
    const { dropsite } = await aDropsite(stage.app, { name: 'Photos of the party', description: 'Everything that you took, please.' });
    const files = [
      stage.aFileOf('several/portrait.jpg', 300_000),
      stage.aFileOf('several/speech.mp4', 12 * MB),
      stage.aFileOf('several/nothing.txt', 0),
    ];
    await stage.visit(dropsite.link);
    await stage.choose(...files);
    await stage.press('Upload 3 files, 12.3 MB');
    await stage.delivered();
    expect(await stage.heading(/files? delivered/).textContent()).toBe('3 files delivered, 12.3\u00a0MB');
    for (const file of files) await stage.page.getByText(sha256(file)).waitFor();
    expect(await stage.arrived(dropsite)).toEqual([
      ['portrait.jpg', 300_000],
      ['speech.mp4', 12 * MB],
      ['nothing.txt', 0],
    ]);
    const names = (await eventsOf(stage.app, dropsite)).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(['event:dropsiteUploadStarted', 'event:uploadComplete', 'event:dropsiteUploadComplete']));
    const text = await download('Save as text');
    for (const file of files) expect(text).toContain(`${sha256(file)}  ${path.basename(file)}\n`);
    const receipt = JSON.parse(await download('Save as JSON'));
    expect(receipt).toMatchObject({ deliveredTo: 'Photos of the party', totalSize: 12.3 * MB, notDelivered: [] });
    expect(receipt.files[1]).toMatchObject({ name: 'speech.mp4', size: 12 * MB, sha256: sha256(files[1] ?? '') });
    await takePicture(stage.page, 'upload delivered');
    await stage.press('Send more files');
    await stage.page.getByRole('button', { name: 'Choose files' }).waitFor();
    expect(stage.complaints).toEqual([]);
  });

  it('drops a folder together with a file, without files of the operating system', async () => {
    const { dropsite } = await aDropsite(stage.app);
    const files = [
      stage.aFileOf('trip/day 1/IMG_1.jpg', 1_000),
      stage.aFileOf('trip/day 2/IMG_1.jpg', 1_000),
      stage.aFileOf('trip/.DS_Store', 10),
    ];
    const single = stage.aFileOf('map.pdf', 2_000);
    await stage.visit(dropsite.link);
    await drop(path.join(stage.folder, 'trip'), single);
    await stage.page.getByRole('button', { name: 'Remove trip/day 2/IMG_1.jpg' }).waitFor();
    await stage.press('Upload 3 files, 4 kB');
    await stage.delivered();
    expect((await stage.arrived(dropsite)).sort()).toEqual([
      ['map.pdf', 2_000],
      ['trip/day 1/IMG_1.jpg', 1_000],
      ['trip/day 2/IMG_1.jpg', 1_000],
    ]);
    expect([files.length, stage.complaints]).toEqual([3, []]);
  });

  it('delivers a folder that is chosen with the button', async () => {
    const { dropsite } = await aDropsite(stage.app);
    for (let index = 0; index < 25; index += 1) stage.aFileOf(`many/${index}.txt`, 3);
    await stage.visit(dropsite.link);
    const [chooser] = await Promise.all([stage.page.waitForEvent('filechooser'), stage.press('Choose a folder')]);
    await chooser.setFiles(path.join(stage.folder, 'many'));
    await stage.press('Upload 25 files, 75 bytes');
    await stage.delivered();
    expect((await stage.arrived(dropsite)).map(([name]) => name)).toContain('many/24.txt');
    expect(await stage.page.getByRole('row').count()).toBe(26);
    expect(stage.complaints).toEqual([]);
  });

  it('pauses and resumes', async () => {
    const { dropsite } = await aDropsite(stage.app);
    await stage.visit(dropsite.link);
    await stage.choose(stage.aFileOf('pause.bin', 30 * MB));
    stage.wire.rate = 6 * MB;
    await stage.press(/^Upload/);
    await stage.reach(20);
    await stage.press('Pause');
    await stage.heading('Paused').waitFor();
    await eventually(async () => (await stage.stillFor(400)) === 0);
    expect(await stage.stillFor(1_000)).toBe(0);
    stage.wire.rate = Number.POSITIVE_INFINITY;
    await stage.press('Resume');
    await stage.delivered();
    expect(await stage.arrived(dropsite)).toEqual([['pause.bin', 30 * MB]]);
    expect(stage.complaints).toEqual([]);
  });

  it('is warned before leaving during an upload, and only then', async () => {
    const { dropsite } = await aDropsite(stage.app);
    const asked: string[] = [];
    const inANewTab = async () => {
      stage.page = await stage.context.newPage(); // the first tab stays: Chromium ends with its last one
      stage.page.on('dialog', (dialog) => {
        asked.push(dialog.type());
        void (dialog.type() === 'confirm' ? dialog.accept() : dialog.dismiss());
      });
      await stage.visit(dropsite.link);
      await stage.choose(stage.aFileOf('leave.bin', 20 * MB));
    };
    await inANewTab();
    await stage.page.close({ runBeforeUnload: true });
    await eventually(() => stage.page.isClosed());
    expect(asked).toEqual([]);
    await inANewTab();
    stage.wire.rate = 2 * MB;
    await stage.press(/^Upload/);
    await stage.reach(5);
    await stage.page.close({ runBeforeUnload: true });
    await eventually(() => asked.length > 0);
    expect(asked).toEqual(['beforeunload']);
    expect(stage.page.isClosed()).toBe(false);
    await stage.press('Cancel'); // Chromium can crash when a page that asks is torn down
    await stage.page.getByRole('button', { name: 'Choose files' }).waitFor();
  });

  it('cancels an upload, which aborts incomplete files', async () => {
    const { dropsite } = await aDropsite(stage.app);
    await stage.visit(dropsite.link);
    stage.page.on('dialog', (dialog) => void dialog.accept());
    await stage.choose(stage.aFileOf('cancel.bin', 30 * MB));
    stage.wire.rate = 6 * MB;
    await stage.press(/^Upload/);
    await stage.reach(20);
    await stage.press('Cancel');
    await stage.page.getByRole('button', { name: 'Choose files' }).waitFor();
    await eventually(async () => (await stage.stillFor(300)) === 0);
    await stage.page.reload();
    await stage.page.getByRole('button', { name: 'Choose files' }).waitFor();
    expect(await stage.heading('Continue your upload').isVisible()).toBe(false);
  });
});

describe('a file that changes on the disk while it is uploaded', () => {
  it('fails alone, and the others are delivered', async () => {
    const { dropsite } = await aDropsite(stage.app);
    const [moving, fine] = [stage.aFileOf('moving.bin', 30 * MB), stage.aFileOf('fine.txt', 10)];
    await stage.visit(dropsite.link);
    await stage.choose(fine, moving);
    stage.wire.rate = 8 * MB;
    await stage.press(/^Upload/);
    await stage.reach(20);
    stage.aFileOf('moving.bin', 29 * MB);
    stage.wire.rate = Number.POSITIVE_INFINITY;
    await stage.heading('1 file could not be uploaded').waitFor();
    await stage.page.getByText('Failed. The file can no longer be read.').waitFor();
    await takePicture(stage.page, 'upload failed file');
    await stage.press('Try again');
    await stage.page.getByText('Failed. The file can no longer be read.').waitFor();
    await stage.press('Finish without it');
    await stage.heading('1 file delivered').waitFor();
    expect(await stage.arrived(dropsite)).toEqual([['fine.txt', 10]]);
  });
});

/** Drops files and folders on the middle of the target, as a file manager does. */
async function drop(...files: string[]): Promise<void> {
  await stage.ready();
  const box = await stage.page.locator('#drop').boundingBox();
  if (!box) throw new Error('There is nothing to drop on.');
  const session = await stage.context.newCDPSession(stage.page);
  const at = { x: box.x + box.width / 2, y: box.y + 20, data: { items: [], files, dragOperationsMask: 1 } };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await session.send('Input.dispatchDragEvent', { type, ...at });
}

async function download(name: string): Promise<string> {
  const [file] = await Promise.all([stage.page.waitForEvent('download'), stage.press(name)]);
  return readFileSync(await file.path(), 'utf8');
}
