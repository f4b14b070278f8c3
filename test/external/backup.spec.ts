import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DeleteObjectCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { type MediaItem, MediaItemsRepository, MediaRemovalService } from '../../src/modules/media/index.js';
import type { ReconciliationReport } from '../../src/modules/uploads/upload-reconciliation.service.js';
import { Database } from '../../src/shared/database/index.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { aClient, obtainTokens, postToken, type TokenAnswer } from '../support/accounts/scenario.js';
import { admin } from '../support/app/admin.js';
import { buildProgram } from '../support/app/clone.js';
import { REPOSITORY } from '../support/app/program.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { deliverFile } from '../support/browser/embedded-media.js';
import { aFormat } from '../support/converter/formats.js';
import { type DebianPostgres, startDebianPostgres } from '../support/database/debian-postgres.js';
import { runDebianProgram } from '../support/debian-program.js';
import { anEmbed, type Embed } from '../support/delivery/embeds.js';
import { aPublisher, originalOf, type Publisher } from '../support/delivery/player-configurations.js';
import { type Block, readBlocks } from '../support/documents/document.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { aRung } from '../support/media/streaming.js';
import { aFile, call, clientFor, type ProcessedItem, type UploadDocument } from '../support/media/uploads.js';
import { printedByBlock, startBlocks } from '../support/shell.js';
import { type StorageUnderTest, s3Client } from '../support/storage/object-storage-clients.js';
import { RADOSGW_TRAITS, startRadosGateway } from '../support/storage/radosgw.js';
import { settingsFor, startTestStorage, type TestStorage } from '../support/storage/storage.js';
import { subscriptionsOf } from '../support/subscriptions/subscriptions.js';
import { WebhookReceiver } from '../support/subscriptions/webhook-receiver.js';

const LONG_MS = 180_000; // about 25 s, several times that when the machine is busy

/** The first service, in which everything was made, and the one that is restored elsewhere. */
let live: TestApp;
let restored: TestApp;
let liveStorage: TestStorage;
let otherStorage: StorageUnderTest;
let postgres: DebianPostgres;
let receiver: WebhookReceiver;
let folder: string;

let publisher: Publisher;
let tokens: TokenAnswer['body'];
let client: { clientId: string };
let hook: { signingSecret: string };
let embed: Embed;
/** A film of 12 MB that was sent in parts, and a link to it. */
const film = randomBytes(12_000_001);
let filmLink: string;
let filmItem: ProcessedItem;
let photo: { id: number; s3Key: string };
let removed: { id: number; mediaId: number; s3Key: string };
let late: { s3Key: string };
let lostRendition: MediaItem;

/** The commands of the page, by the program that they call. */
const blocks = (...programs: string[]): Block[] =>
  readBlocks('docs/backup.md', (text) => text.replaceAll('media-example', 'media').replaceAll('media-backup', 'media')).filter(
    ({ commands }) => programs.some((program) => commands.includes(program)),
  );

/** Runs commands of the page in a shell with these settings; what each printed. */
async function run(commands: readonly Block[], databaseUrl: string, settings: Record<string, string> = {}): Promise<string[]> {
  const { PATH = '' } = process.env;
  const appSecret = live.config.appSecret ?? '';
  const env = { PATH, HOME: folder, DATABASE_URL: databaseUrl, APP_SECRET: appSecret, npm_config_update_notifier: 'false', ...settings };
  const running = startBlocks(commands, { cwd: folder, env });
  const code = await running.ended;
  if (code !== 0) throw new Error(`The commands ended with ${code}:\n${running.stdout}\n${running.stderr}`);
  return printedByBlock(running);
}

const remote = (name: string, { endpoint, region, key }: Pick<StorageUnderTest, 'endpoint' | 'region' | 'key'>): string =>
  [`[${name}]`, 'type = s3', 'provider = Other', `endpoint = ${endpoint}`, `region = ${region}`, 'no_check_bucket = true']
    .concat(`access_key_id = ${key.accessKeyId}`, `secret_access_key = ${key.secretAccessKey}`, '')
    .join('\n');

async function sendInParts(): Promise<ProcessedItem> {
  const payload = [aFile({ type: 'video', fileName: 'film.mp4', originalFileExtension: 'mp4', fileSize: film.length })];
  const { body } = await call<UploadDocument>(`${live.url}/v5/s3/createUpload`, { token: publisher.token, body: { payload } });
  const [item] = body.processed as [ProcessedItem];
  const where = { Bucket: item.bucket, Key: item.s3Key };
  await new Upload({ client: clientFor(item), params: { ...where, Body: film } }).done();
  const success = await call(`${live.url}/v5/s3/success`, { token: publisher.token, body: { bucket: item.bucket, key: item.s3Key } });
  expect(success.status).toBe(200);
  return item;
}

const itemsOf = async (app: TestApp, containerId: number) => await app.app.get(MediaItemsRepository).findByContainers([containerId]);
const renditionOf = async (app: TestApp, containerId: number) =>
  (await itemsOf(app, containerId)).find(({ s3Key, status }) => s3Key.startsWith('renditions/') && status === 'successful');

/** Everything that a newsroom has, as its clients make it. */
async function fillService(): Promise<void> {
  publisher = await aPublisher(live);
  client = await aClient(live);
  tokens = await obtainTokens(live, { user: publisher.user, client });
  const instructions = [{ type: 'https', url: `${receiver.origin()}/hook` }];
  hook = await subscriptionsOf(live, publisher.token).made({ name: 'event:s3success', instructions });
  await aFormat(live, publisher.token, { blueprint: 'JPEG', settings: { autoGenerate: ['image'] } });
  await runDebianProgram('convert', ['-size', '600x400', 'xc:red', 'jpeg:photo.jpg'], { cwd: folder });
  photo = await uploadMedia(live, publisher.token, { content: readFileSync(path.join(folder, 'photo.jpg')) });
  filmItem = await sendInParts();
  const formatId = await originalOf(live, publisher.user, 'video');
  const { id: playerConfigurationId } = await publisher.made({ type: 'video', formats: [{ formatId, downloadable: true }] });
  filmLink = (await publisher.embed(filmItem.id, playerConfigurationId)).body.link;
  embed = await anEmbed(live, publisher, {
    ...{ type: 'video', original: { fileName: 'interview.mov', content: 'original' }, renditions: { '720p': aRung({ height: 720 }) } },
    beside: [{ fileName: 'German', fileExtension: 'srt', content: '1\n00:00:01,000 --> 00:00:02,000\nHallo\n', language: 'de' }],
  });
  await recordObject(embed.mediaIds['720p'] ?? 0);
  removed = await uploadMedia(live, publisher.token, { content: 'deleted after the dump' });
  await eventually(async () => (await renditionOf(live, photo.id)) && receiver.requests.length === 5, LONG_MS);
}

/** As the converter records what it has written. */
async function recordObject(id: number): Promise<void> {
  const media = live.app.get(MediaItemsRepository);
  const [item] = await media.findMany([id]);
  const object = await live.app.get(ObjectStorage).find(item?.s3Key ?? '');
  if (object) await media.updateObject(id, object, live.config.s3Bucket);
}

const refresh = async (): Promise<TokenAnswer> =>
  await postToken(restored.url, { grant_type: 'refresh_token', client_id: client.clientId, refresh_token: tokens.refresh_token });

beforeAll(async () => {
  folder = makeTestFolder();
  for (const name of ['package.json', 'scripts', 'dist', 'node_modules']) symlinkSync(path.join(REPOSITORY, name), path.join(folder, name));
  [postgres, liveStorage, otherStorage, receiver] = await Promise.all([
    startDebianPostgres(),
    startTestStorage(),
    startRadosGateway(),
    WebhookReceiver.start(),
  ]);
  mkdirSync(path.join(folder, '.config/rclone'), { recursive: true });
  const remotes = [remote('live', liveStorage.address), remote('backup', otherStorage)];
  writeFileSync(path.join(folder, '.config/rclone/rclone.conf'), remotes.join('\n'));
  const url = await postgres.createDatabase('live', { migrated: true });
  const settings = { ...liveStorage.settings, worker: 'inline', egressAllowlist: ['127.0.0.1'] } as const;
  live = await startTestApp({ ...settings, database: { url, drop: async () => {} } });
  await Promise.all([buildProgram(), fillService()]);
}, 2 * LONG_MS);

afterAll(async () => {
  await restored?.close();
  await live?.close();
  await receiver?.close();
  await liveStorage?.close();
  await otherStorage?.stop();
  await postgres?.stop();
  await removeTestFolder(folder);
});

describe('a backup that is restored to another database, another bucket and another address', () => {
  let copy: Record<string, string>;
  let newDatabase: string;

  it(
    'is made while the service runs: first the database, then the bucket',
    async () => {
      const [dump, ...others] = blocks('pg_dump', 'rclone copy');
      expect([dump?.commands.split(' ')[0], others.length]).toEqual(['pg_dump', 1]);
      await run(dump ? [dump] : [], live.config.databaseUrl ?? '');
      // What happens in between is in the bucket alone, or in the dump alone.
      late = await uploadMedia(live, publisher.token, { content: 'uploaded after the dump' });
      await live.app.get(MediaRemovalService).remove({ containerId: removed.id });
      await run(others, live.config.databaseUrl ?? '');
    },
    LONG_MS,
  );

  it(
    'is compared, and found to be a copy, with what happened after the dump',
    async () => {
      lostRendition = (await renditionOf(live, photo.id)) as MediaItem;
      await live.close();
      await liveStorage.stop();
      const storage = s3Client(otherStorage, otherStorage.key, RADOSGW_TRAITS);
      const [Bucket, Status] = [otherStorage.bucket, 'Enabled'] as const;
      await storage.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
      await storage.send(new DeleteObjectCommand({ Bucket, Key: lostRendition.s3Key }));
      storage.destroy();
      newDatabase = await postgres.createDatabase('restored');
      copy = {
        ...{ S3_BUCKET: otherStorage.bucket, S3_ENDPOINT: otherStorage.endpoint, STS_ENDPOINT: otherStorage.endpoint },
        ...{
          STS_ROLE_ARN: otherStorage.roleArn,
          AWS_REGION: otherStorage.region,
          PUBLIC_URL: 'http://localhost:3999',
          LOG_LEVEL: 'silent',
        },
        ...{ AWS_ACCESS_KEY_ID: otherStorage.key.accessKeyId, AWS_SECRET_ACCESS_KEY: otherStorage.key.secretAccessKey },
      };
      const [compare, ...repair] = blocks('uploads reconcile');
      const [, , printed = ''] = await run([...blocks('pg_restore', 'check storage'), ...(compare ? [compare] : [])], newDatabase, copy);
      const report = JSON.parse(printed) as ReconciliationReport;
      const expected = [
        { kind: 'orphan_object', key: late.s3Key, mediaId: null, mended: false },
        { kind: 'lost_object', key: removed.s3Key, mediaId: removed.mediaId, mended: false },
        { kind: 'lost_object', key: lostRendition.s3Key, mediaId: lostRendition.id, mended: false },
      ];
      const inOrder = [...expected.slice(0, 1), ...expected.slice(1).sort((one, other) => Number(one.mediaId) - Number(other.mediaId))];
      expect(report.differences).toEqual(inOrder);
      expect(report).toMatchObject({ copies: report.items - 2, copiesComparedBySize: 1 });

      const [mended = ''] = await run(repair, newDatabase, copy);
      const jobs = (JSON.parse(mended) as ReconciliationReport).differences.filter(({ jobId }) => jobId !== undefined);
      expect(jobs).toMatchObject([{ mediaId: lostRendition.id, mended: true }]);
    },
    LONG_MS,
  );

  it(
    'is a service as before: deliveries, streams, subtitles, renditions, people',
    async () => {
      const settings = { ...settingsFor(otherStorage), worker: 'inline', egressAllowlist: ['127.0.0.1'] } as const;
      restored = await startTestApp({ ...settings, database: { url: newDatabase, drop: async () => {} } });
      expect(restored.url).not.toBe(live.url);
      const { status, headers } = await deliverFile(restored.url, filmLink);
      expect(status).toBe(302);
      expect(String(headers.location)).toContain(otherStorage.endpoint);
      expect(Buffer.from(await (await fetch(String(headers.location))).arrayBuffer()).equals(film)).toBe(true);

      const at = `${restored.url}/v5/deliverEmbed/${embed.link}`;
      const { body } = await call<{ tracks: { url: string }[]; hls: string }>(at, { headers: { accept: 'application/json' } });
      expect(await (await fetch(new URL(body.tracks[0]?.url ?? '', at))).text()).toContain('Hallo');
      const master = await (await fetch(new URL(body.hls, at))).text();
      const playlist = await (await fetch(new URL(master.split('\n').find((line) => line.includes('.m3u8')) ?? '', at))).text();
      const [, map = ''] = /EXT-X-MAP:URI="([^"]+)"/.exec(playlist) ?? [];
      expect((await (await fetch(new URL(map, at))).arrayBuffer()).byteLength).toBeGreaterThan(800);

      await eventually(async () => (await renditionOf(restored, photo.id)) !== undefined, LONG_MS);
      const again = (await itemsOf(restored, photo.id)).filter(({ formatId }) => formatId === lostRendition.formatId);
      expect(again.map(({ status: state, bucket }) => [state, bucket])).toEqual([
        ['deleted', otherStorage.bucket],
        ['successful', otherStorage.bucket],
      ]);

      const as = async (token: string) => (await call(`${restored.url}/v5/mediacontainer/${photo.id}`, { token })).status;
      expect([await as(tokens.access_token), (await refresh()).status]).toEqual([401, 400]); // of the old issuer
      tokens = await obtainTokens(restored, { user: publisher.user, client });
      expect(await as(tokens.access_token)).toBe(200);
    },
    LONG_MS,
  );

  it('takes new uploads and sends webhooks, signed as before', async () => {
    receiver.requests.length = 0;
    const { id } = await uploadMedia(restored, tokens.access_token, { content: 'after the restore' });
    await eventually(() => receiver.requests.length > 0);
    const [request] = receiver.requests;
    const event = new Webhook(hook.signingSecret).verify(request?.body ?? '', request?.headers as Record<string, string>);
    expect(event).toMatchObject({ payload: { mediaContainerId: id } });
  });

  it('no longer differs, except for what is too new to be deleted', async () => {
    const { differences, ...counts } = await admin<ReconciliationReport>(restored, ['uploads', 'reconcile']);
    expect(counts).toMatchObject({ copies: 0, copiesComparedBySize: 0 });
    expect(differences.every(({ kind }) => kind === 'orphan_object')).toBe(true);
  });

  it('ends sessions and what waits, if that is wanted', async () => {
    tokens = (await refresh()).body;
    await run(blocks('psql'), newDatabase);
    expect((await refresh()).status).toBe(400);
    expect(await restored.app.get(Database).queryOne('SELECT count(*)::int AS runs FROM subscription_runs')).toEqual({ runs: 0 });
  });

  it('runs every command of the page', () => {
    const run = blocks('pg_dump', 'rclone copy', 'pg_restore', 'check storage', 'uploads reconcile', 'psql');
    expect(readBlocks('docs/backup.md', String)).toHaveLength(run.length);
  });
});
