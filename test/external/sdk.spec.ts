import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { findPort } from '../../src/process/find-port.js';
import { Database } from '../../src/shared/database/index.js';
import { aClient, aUser, PASSWORD, signIn } from '../support/accounts/scenario.js';
import { type Program, REPOSITORY, spawnProgram } from '../support/app/program.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { TestBrowser } from '../support/browser/browser.js';
import { complaintsOf, launchChromium } from '../support/browser/chromium.js';
import { startSite } from '../support/browser/site.js';
import { eventually } from '../support/eventually.js';
import { tokenOf } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';
import { Wire } from '../support/wire.js';

const MIB = 1024 ** 2;
const INSTALL_MS = 300_000; // npm ci has the packages in its cache; a stale build takes about 20 s, more when the machine is busy
const MAX_PACKAGE_BYTES = 80_000;
const NODE_OF_IMAGE = ['bash', path.join(REPOSITORY, 'scripts/with-image-node.sh'), 'node'];

describe('the SDK, packed and installed in a fresh folder', () => {
  let folder: string;
  let packedBytes: number;
  let storage: TestStorage;
  let wire: Wire;
  let app: TestApp;
  let user: Awaited<ReturnType<typeof aUser>>;
  let token: string;
  /** How far the storage's clock is ahead. */
  let aheadMs = 0;

  beforeAll(async () => {
    folder = makeTestFolder();
    const npm = async (cwd: string, ...args: string[]) =>
      await promisify(execFile)('npm', args, { cwd, env: { ...process.env, NODE_OPTIONS: '' } });
    await promisify(execFile)(NODE_OF_IMAGE[0] ?? '', [...NODE_OF_IMAGE.slice(1), '--version']); // installs it, with npm's settings of this machine
    await npm(REPOSITORY, 'pack', '--workspace', 'sdk', '--pack-destination', folder);
    const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    packedBytes = statSync(path.join(folder, tarball)).size;
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    await npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball}`);
    storage = await startTestStorage({ now: () => new Date(Date.now() + aheadMs) });
    wire = await Wire.to(storage.settings.s3Endpoint ?? '');
    app = await startTestApp({ ...storage.settings, s3Endpoint: wire.url });
    user = await aUser(app);
    token = await tokenOf(app, user);
  }, INSTALL_MS);
  afterAll(async () => {
    await app?.close();
    await wire?.close();
    await storage?.close();
    await removeTestFolder(folder);
  });

  const installed = (file: string) => path.join(folder, 'node_modules', file);
  /** The programs of its README, by the heading that they follow. */
  const snippet = (heading: string): string => {
    const [, section = ''] = readFileSync(installed('@media-delivery/sdk/README.md'), 'utf8').split(`## ${heading}\n`);
    return /```js\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
  };
  /** Starts a program in the folder. */
  function start(source: string, env: Record<string, string> = {}, node: readonly string[] = [process.execPath]): Program {
    const file = path.join(folder, `${randomUUID()}.mjs`);
    writeFileSync(file, source);
    return spawnProgram({ command: [...node, file], cwd: folder, env: { SERVICE: app.url, TOKEN: token, TMPDIR: folder, ...env } });
  }
  /** What a program prints that ends by itself. */
  async function run(...program: Parameters<typeof start>): Promise<string> {
    const { ended, output } = start(...program);
    expect([await ended, output.stderr.replace(/^.*(ExperimentalWarning|--trace-warnings|bytes).*\n/gm, '')]).toEqual([0, '']);
    return output.stdout;
  }

  it('is small', () => {
    expect(packedBytes).toBeLessThan(MAX_PACKAGE_BYTES);
  });

  it('has types that are strict about paths, parameters and answers', async () => {
    const program = `import { createClient, type paths, verifyWebhook } from '@media-delivery/sdk';
      const client = createClient({ baseUrl: '', accessToken: async () => '' });
      const { data, response } = await client.GET('/v5/mediacontainer/{id}', { params: { path: { id: 1 } } });
      export const name: string | null = data.media[0]?.fileName ?? response.headers.get('link');
      // @ts-expect-error there is no such path
      await client.GET('/v5/nothing');
      // @ts-expect-error the id is missing
      await client.GET('/v5/mediacontainer/{id}');
      // @ts-expect-error an id is a number
      await client.DELETE('/v5/mediacontainer/{id}', { params: { path: { id: 'one' } } });
      const event = await verifyWebhook('', {}, '');
      if (event.name === 'event:s3success') event.payload satisfies object;
      export type Operation = paths['/v5/mediacontainer']['get'];`;
    writeFileSync(path.join(folder, 'types.ts'), program);
    const flags = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2023,dom,dom.iterable',
      '--types',
      'node',
      '--typeRoots',
      path.join(REPOSITORY, 'node_modules/@types'),
    ];
    const tsc = path.join(REPOSITORY, 'node_modules/typescript/bin/tsc');
    const { ended, output } = spawnProgram({ command: [process.execPath, tsc, ...flags, 'types.ts'], cwd: folder });
    expect([await ended, output.stdout]).toEqual([0, '']);
  });

  describe.each([
    ['this Node.js', [process.execPath]],
    ['the Node.js of the image', NODE_OF_IMAGE],
  ])('on %s', (_, node) => {
    it(
      'calls and uploads as the README says',
      async () => {
        const id = await run(snippet('Upload files'), {}, node);
        expect(id).toMatch(/^\d+\n$/);
        expect(await run(snippet('Call the API'), {}, node)).toMatch(new RegExp(`^${id.trim()} package\n[^]*404 not_found .+\n$`, 'm'));
        expect(await run(snippet('What is shared and watched'), {}, node)).toBe(''); // no link was made
      },
      INSTALL_MS,
    );
  });

  it('administers as the README says', async () => {
    const administrator = await tokenOf(app, await aUser(app, { adminLevel: 9 }));
    const env = { TOKEN: administrator, EMAIL: 'grace@sdk.example' };
    expect(await run(snippet('Administer a customer'), env)).toMatch(/^user\.create user:\d+\n$/);
  });

  it('signs in on a server as the README says', async () => {
    const port = String(await findPort('127.0.0.1', 0));
    const clientSecret = randomBytes(24).toString('hex');
    const { clientId } = await aClient(app, { name: 'Newsroom', clientSecret, redirectUris: [`http://127.0.0.1:${port}/callback`] });
    const program = start(snippet('Sign in on a server'), { PORT: port, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret });
    await eventually(() => program.output.stdout);
    const site = new TestBrowser(`http://127.0.0.1:${port}`);
    const begun = await site.open('/');
    const end = await signIn(new TestBrowser(app.url), begun.headers.get('location') ?? '', user);
    expect(await (await site.open(end.href)).text()).toBe('You are signed in to Newsroom.');
    expect(await (await site.open(end.href)).text()).not.toContain('signed in');
    await program.end();
  });

  it('verifies webhooks as the README says', async () => {
    const [secret, port] = [`whsec_${randomBytes(24).toString('base64')}`, String(await findPort('127.0.0.1', 0))];
    const program = start(snippet('Receive webhooks'), { WEBHOOK_SECRET: secret, PORT: port });
    await eventually(() => program.output.stdout);
    const body = JSON.stringify({ name: 'event:releaseRequest', payload: { message: 'Grüße' } });
    const at = new Date();
    const headers = {
      ...{ 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)) },
      'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
    };
    const post = async (content: string) => (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: content })).status;
    expect([await post(body), await post(`${body} `)]).toEqual([204, 400]);
    expect(program.output).toEqual({
      stdout: expect.stringContaining("event:releaseRequest { message: 'Grüße' }"),
      stderr: expect.stringContaining('webhook_signature_mismatch'),
    });
    await program.end();
  });

  /** Opens a program of the README as ES modules in Chromium, signs the user in, and does `work` with its page. */
  async function onPage(heading: string, work: (page: Page, origin: string) => Promise<void>): Promise<void> {
    const modules = {
      '@media-delivery/sdk': '@media-delivery/sdk/dist/index.js',
      'openapi-fetch': 'openapi-fetch/dist/index.mjs',
      oauth4webapi: 'oauth4webapi/build/index.js',
      aws4fetch: 'aws4fetch/dist/aws4fetch.esm.mjs',
    };
    let clientId = '';
    const site = await startSite('127.0.0.1', () => {
      const imports = Object.fromEntries(Object.entries(modules).map(([name, file]) => [name, `/modules/${file}`]));
      return {
        html: `<body><script>globalThis.process = { env: ${JSON.stringify({ SERVICE: app.url, CLIENT_ID: clientId })} }</script>
          <script type="importmap">${JSON.stringify({ imports })}</script><script type="module">${snippet(heading)}</script>`,
      };
    });
    ({ clientId } = await aClient(app, { redirectUris: [`${site.origin}/`] }));
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const complaints = complaintsOf(page);
      await page.route('**/modules/**', async (route) => {
        const file = installed(new URL(route.request().url()).pathname.replace('/modules/', ''));
        await route.fulfill({ path: file, contentType: 'text/javascript' });
      });
      await page.goto(site.origin);
      await page.getByLabel('E-mail').fill(user.email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await work(page, site.origin);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      await site.close();
    }
  }

  it('signs in and uploads in Chromium, as ES modules, as the README says', async () => {
    await onPage('Sign in from a page', async (page, origin) => {
      const state = page.locator('output');
      await state.waitFor();
      expect([page.url(), await state.innerText()]).toEqual([`${origin}/`, 'Choose files']);
      const [large, small] = [path.join(folder, 'film.mp4'), path.join(folder, 'notes.txt')];
      writeFileSync(large, randomBytes(12 * MIB));
      writeFileSync(small, 'Notes');

      wire.rate = 4 * MIB;
      await page.setInputFiles('input', [large]);
      await eventually(async () => await page.evaluate('document.querySelector("progress").value > 0'));
      await page.getByRole('button', { name: 'Cancel' }).click();
      await eventually(async () => (await state.innerText()) === 'Cancelled');
      wire.rate = Number.POSITIVE_INFINITY;

      await page.setInputFiles('input', [large, small]);
      await eventually(async () => /^Uploaded: \d+,\d+$/.test(await state.innerText()));
      expect(await page.evaluate('[document.querySelector("progress").value, document.querySelector("progress").max]')).toEqual([
        12 * MIB + 5,
        12 * MIB + 5,
      ]);
    }).finally(() => {
      wire.rate = Number.POSITIVE_INFINITY;
    });
  });

  it('shows a library with previews and a search in Chromium as the README says', async () => {
    const files = ['photo.jpg', 'film.mp4'].map((name) => path.join(REPOSITORY, 'samples', name));
    await run(snippet('Upload files'), { FILES: files.join() });
    await onPage('A library page', async (page) => {
      const photo = page.getByRole('figure').filter({ hasText: 'photo (image)' });
      await photo.waitFor();
      await eventually(
        async () => await photo.locator('img').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0),
      );
      const captions = async () => await page.locator('figcaption').allInnerTexts();
      expect(await captions()).toContain('film (video)');
      await page.getByLabel('Search').fill('pho');
      await eventually(async () => (await captions()).join() === 'photo (image)');
    });
  });

  it('completes 30 files over a broken connection, ended credentials, an ended token and a killed process, and sends no byte twice', async () => {
    const source = path.join(folder, 'files');
    mkdirSync(source);
    const sizes = Array.from({ length: 30 }, (__, index) => (index % 10 === 3 ? 18 * MIB : 50_000 + index));
    for (const [index, size] of sizes.entries()) writeFileSync(path.join(source, `${index + 10}.mov`), randomBytes(size));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const env = { FOLDER: source, UPLOAD_ID: randomUUID() };
    const before = wire.sent;
    aheadMs = -14 * 60_000; // as far behind as the storage bears
    wire.rate = 16 * MIB;

    const first = start(PROGRAM, env);
    await reaches(first, total * 0.2);
    wire.cut();
    wire.mend();
    await reaches(first, total * 0.4);
    aheadMs = 3 * 60_000; // the fifteen minutes of the credentials are over
    await reaches(first, total * 0.7);
    expect(await first.end('SIGKILL')).toBeNull();
    expect(first.output.stdout).toContain('{"refused":"ended"}');
    wire.rate = Number.POSITIVE_INFINITY;
    const second = start(PROGRAM, env);
    expect([await second.ended, second.output.stderr.replace(/^.*(ExperimentalWarning|--trace-warnings).*\n/gm, '')]).toEqual([0, '']);
    aheadMs = 0;

    const lines = second.output.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const result = lines.at(-1) as { uploadId: string; status: string; items: { mediaContainerId: number; status: string }[] };
    expect(result).toMatchObject({ uploadId: env.UPLOAD_ID, status: 'completed' });
    const sql = `SELECT container.id, item.file_size::int AS size, item.status, item.bucket, item.s3_key AS key FROM media_items item
      JOIN media_containers container ON container.id = item.media_container_id WHERE container.id = ANY($1) ORDER BY container.id`;
    const { rows } = await app.app
      .get(Database)
      .query<{ id: number; size: number; status: string; bucket: string; key: string }>(sql, [
        result.items.map((item) => item.mediaContainerId),
      ]);
    expect(rows.map(({ size, status }) => [size, status])).toEqual(sizes.map((size) => [size, 'successful']));

    const { s3Endpoint: endpoint, awsRegion: region, storageKey } = storage.settings;
    const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: storageKey ?? undefined });
    for (const index of [0, 3, 13, 23]) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: rows[index]?.bucket, Key: rows[index]?.key }));
      const stored = (await Body?.transformToByteArray()) ?? Buffer.alloc(0);
      expect(sha256(stored)).toBe(sha256(readFileSync(path.join(source, `${index + 10}.mov`))));
    }

    // Each of the three interruptions may lose what is in flight: at most 5 MiB.
    const twice = wire.sent - before - total;
    if (process.env.SCREENSHOT_DIR)
      console.log(`sent twice, with all headers: ${(twice / MIB).toFixed(2)} MiB of ${(total / MIB).toFixed(1)}`);
    expect(twice).toBeLessThan(3 * 5.1 * MIB);
    for (const { output } of [first, second]) {
      const loaded = output.stdout.split('\n').flatMap((line) => /^\{"loaded":(\d+)/.exec(line)?.[1] ?? []);
      expect(loaded.map(Number)).toEqual(loaded.map(Number).sort((one, other) => one - other));
    }
    expect(lines.at(-2)).toEqual({ loaded: total, total });
    expect(
      readdirSync(folder)
        .filter((name) => name.startsWith('media-delivery-uploads'))
        .flatMap((name) => readdirSync(path.join(folder, name))),
    ).toEqual([]);

    const third = start(PROGRAM, env); // it has ended before it could note its result
    expect(await third.ended).toBe(0);
    expect(JSON.parse(third.output.stdout.trim().split('\n').at(-1) ?? '')).toEqual(result);
  });
});

/** Its tenth call gets a token that the service refuses, as when one ends in between. */
const PROGRAM = `
  import { readdirSync } from 'node:fs';
  import { createClient, openFile } from '@media-delivery/sdk';
  const { SERVICE, TOKEN, FOLDER, UPLOAD_ID } = process.env;
  let calls = 0;
  const accessToken = (refused) => {
    if (refused) console.log(JSON.stringify({ refused }));
    return ++calls === 10 ? 'ended' : TOKEN;
  };
  const client = createClient({ baseUrl: SERVICE, accessToken });
  const files = readdirSync(FOLDER).sort().map((name) => openFile(FOLDER + '/' + name));
  const onProgress = (progress) => console.log(JSON.stringify(progress));
  console.log(JSON.stringify(await client.upload(files, { uploadId: UPLOAD_ID, onProgress })));`;

/** Waits until so many bytes have arrived. */
async function reaches({ output, process: child }: Program, bytes: number): Promise<void> {
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`It has ended: ${output.stdout.slice(-500)}${output.stderr}`);
    return Math.max(0, ...Array.from(output.stdout.matchAll(/"loaded":(\d+)/g), ([, loaded]) => Number(loaded))) >= bytes;
  });
}

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
