import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useConsole } from '../support/browser/console-stage.js';
import { eventually } from '../support/eventually.js';
import { call } from '../support/media/uploads.js';

const PHOTO = readFileSync(new URL('../../samples/photo.jpg', import.meta.url));
/** Of three parts. */
const LARGE = Buffer.alloc(15 * 1024 * 1024, 'film');
/** For tests of many steps on a slow machine. */
const LONG_MS = 180_000;
const HOSTILE = `<img src=x onerror=alert(1)> \u202egnp.evil ${'wide'.repeat(40)}.jpg`;

const photo = (name: string) => ({ name, mimeType: 'image/jpeg', buffer: PHOTO });

interface Container {
  readonly name: string;
  readonly tags: readonly string[];
  readonly license: object | null;
}

describe('the upload drawer', () => {
  const stage = useConsole({ worker: 'off' });
  const folder = mkdtempSync(path.join(tmpdir(), 'console-upload-'));
  const film = path.join(folder, 'long.mov');
  beforeAll(() => writeFileSync(film, LARGE));
  afterAll(() => rmSync(folder, { recursive: true }));
  const open = async (address = '/formats') => {
    await stage.open(address);
    await stage.page.getByRole('button', { name: 'Upload', exact: true }).first().click();
  };
  const drawer = () => stage.page.getByRole('dialog', { name: 'Upload' });
  const choose = async (button: string, files: Parameters<ReturnType<typeof stage.page.locator>['setInputFiles']>[0]) => {
    const [chooser] = await Promise.all([
      stage.page.waitForEvent('filechooser'),
      drawer().getByRole('button', { name: button, exact: true }).click(),
    ]);
    await chooser.setFiles(files);
  };
  const found = async () => (await call<Container[]>(`${stage.app.url}/v5/mediacontainer`, { token: stage.token })).body;

  it(
    'uploads files with tags, a licence and formats, while one walks on',
    async () => {
      const { page } = stage;
      await open();
      await choose('Choose files', [photo('harbour.jpg'), photo('tower.jpg'), photo(HOSTILE)]);
      await drawer().getByRole('button', { name: 'Leave out tower.jpg' }).click();
      await drawer().getByRole('combobox', { name: 'Tags of all these files' }).fill('summer');
      await drawer().getByRole('combobox', { name: 'Formats to make' }).click();
      await page.locator('[role=option]:visible').first().click();
      await page.keyboard.press('Tab');
      await drawer().getByRole('button', { name: 'Licence of all these files' }).click();
      await drawer().getByLabel('Name of the licence').fill('Press');
      await stage.inspect('upload chosen');
      await drawer().getByRole('button', { name: 'Upload 2 files' }).click();
      await page.getByRole('link', { name: 'Shares' }).click();
      await page.getByRole('heading', { name: 'Shares', level: 1 }).waitFor();
      await drawer()
        .getByText(/uploaded$/)
        .waitFor();
      await stage.inspect('upload done');
      const media = await found();
      expect(media).toHaveLength(2);
      for (const { tags, license } of media) expect([tags, license]).toMatchObject([['summer'], { name: 'Press' }]);
      const jobs = await call<object[]>(`${stage.app.url}/v5/activity?type=transcoding`, { token: stage.token });
      expect(jobs.body).toHaveLength(2);
      await drawer().getByRole('link', { name: 'Show harbour.jpg' }).click();
      await page.getByRole('heading', { name: 'harbour', level: 1 }).waitFor();
      await page.keyboard.press('Escape');
      await drawer().waitFor({ state: 'hidden' });
    },
    LONG_MS,
  );

  it('takes what is dropped anywhere, and folders', async () => {
    const { page } = stage;
    await stage.open('/formats');
    await page.evaluate(`
      const transfer = new DataTransfer();
      transfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }));
      for (const type of ['dragenter', 'dragover', 'drop'])
        document.querySelector('h1').dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    `);
    await drawer().getByText('dropped.txt').waitFor();
    const dropped = path.join(folder, 'dropped');
    mkdirSync(dropped);
    writeFileSync(path.join(dropped, 'inside.txt'), 'inside');
    writeFileSync(path.join(dropped, '.hidden'), 'hidden');
    await choose('Choose a folder', dropped);
    await drawer().getByText('inside.txt').waitFor();
    await drawer().getByRole('button', { name: 'Upload 2 files' }).click();
    await drawer()
      .getByText(/uploaded$/)
      .waitFor();
    expect((await found()).map(({ name }) => name).sort()).toEqual(['dropped', 'inside']);
  });

  it(
    'pauses, continues, and continues after a reload with the same files, without sending again what has arrived',
    async () => {
      const { page } = stage;
      page.on('dialog', (dialog) => void dialog.accept());
      const sent: string[] = [];
      let isHeld = true;
      await page.route(/partNumber=/, async (route) => {
        const part = new URL(route.request().url()).searchParams.get('partNumber') ?? '';
        if (isHeld && part !== '1') return; // never answered: the connection is that slow
        sent.push(part);
        await route.continue();
      });
      await open();
      await choose('Choose files', film);
      await drawer().getByRole('button', { name: 'Upload 1 file' }).click();
      await drawer().getByRole('button', { name: 'Pause long.mov' }).waitFor();
      await eventually(() => sent.length === 1);
      await drawer()
        .getByText(/^5\.\d MB of/)
        .waitFor();
      await drawer().getByRole('button', { name: 'Pause long.mov' }).click();
      await drawer()
        .getByText(/^Paused at/)
        .waitFor();
      await drawer().getByRole('button', { name: 'Continue long.mov' }).click();
      await drawer().getByRole('button', { name: 'Pause long.mov' }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await drawer().getByText('Choose the same file again to continue.').waitFor();
      await stage.inspect('upload interrupted');
      await choose('Choose again', photo('other.jpg'));
      await drawer().getByText('These are not all files of this upload').waitFor();
      isHeld = false;
      await choose('Choose again', film);
      await drawer()
        .getByText(/uploaded$/)
        .waitFor();
      expect(sent.filter((part) => part === '1')).toHaveLength(1);
      expect(await found()).toHaveLength(1);
      await page.reload();
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await drawer().waitFor();
      expect(await drawer().getByRole('group').count()).toBe(0);
    },
    LONG_MS,
  );

  it('says why an upload failed, and tries again', async () => {
    const { page } = stage;
    let isBroken = true;
    await page.route('**/v5/s3/createUpload', async (route) => {
      if (!isBroken) return await route.continue();
      const problem = {
        type: 'about:blank',
        title: 'Forbidden',
        status: 403,
        code: 'insufficient_scope',
        detail: 'No <b>uploads</b> today.',
      };
      await route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(problem) });
    });
    await open();
    await choose('Choose files', photo('harbour.jpg'));
    await drawer().getByRole('button', { name: 'Upload 1 file' }).click();
    await drawer().getByText('No <b>uploads</b> today.').waitFor();
    await stage.inspect('upload failed');
    isBroken = false;
    await drawer().getByRole('button', { name: 'Try again' }).click();
    await drawer()
      .getByText(/uploaded$/)
      .waitFor();
  });
});

describe('the upload drawer on a telephone, in German', () => {
  const stage = useConsole({ worker: 'off' }, { viewport: { width: 360, height: 740 }, colorScheme: 'dark', locale: 'de-DE' });

  it('fits the window', async () => {
    await stage.open('/formats');
    await stage.page.getByRole('button', { name: 'Hochladen' }).click();
    const [chooser] = await Promise.all([
      stage.page.waitForEvent('filechooser'),
      stage.page.getByRole('button', { name: 'Dateien auswählen' }).click(),
    ]);
    await chooser.setFiles([photo('hafen.jpg'), photo(HOSTILE)]);
    await stage.page.getByRole('button', { name: '2 Dateien hochladen' }).waitFor();
    await stage.inspect('upload telephone');
  });
});
