import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findPort } from '../../src/process/find-port.js';
import { ObjectStorage, type StoredObject } from '../../src/shared/storage/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { BUILD_MS, buildProgram } from '../support/app/clone.js';
import { REPOSITORY } from '../support/app/program.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import type { Outcome } from '../support/debian-program.js';
import { eventually } from '../support/eventually.js';
import { aFile, call, type ProcessedItem, tokenOf, type UploadDocument } from '../support/media/uploads.js';
import { interrupt, startCommands } from '../support/shell.js';
import { assumeRole } from '../support/storage/object-storage-clients.js';
import { S3_PROGRAMS, type S3Program } from '../support/storage/s3-programs.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

const LARGE = 20_000_000;
/** Longer than the credentials of a small file last. */
const SIXTEEN_MINUTES_MS = 16 * 60_000;
/** How programs tell that they were refused: some by the storage's code, some by the status. */
const DENIED = /AccessDenied|\b403\b/;

let folder: string;
let storage: TestStorage;
let app: TestApp;
let token: string;
let offsetMs = 0;

beforeAll(async () => {
  folder = makeTestFolder();
  storage = await startTestStorage({ now: () => new Date(Date.now() + offsetMs) });
  app = await startTestApp(storage.settings);
  token = await tokenOf(app, await aUser(app));
  writeFileSync(path.join(folder, 'small'), 'hello world');
  writeFileSync(path.join(folder, 'large'), randomBytes(LARGE));
});
afterAll(async () => {
  await app?.close();
  await storage?.close();
  await removeTestFolder(folder);
});

const prepare = async (...payload: object[]): Promise<UploadDocument> =>
  (await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, { token, body: { payload } })).body;
const stored = async ({ s3Key }: ProcessedItem): Promise<StoredObject | null> => await app.app.get(ObjectStorage).find(s3Key);

function expectRefusal({ code, output }: Outcome, reason: RegExp): void {
  expect(output).toMatch(reason);
  expect(code).not.toBe(0);
}

/** What the service knows of an item that was uploaded, after its success and the end of its batch. */
async function finish({ uploadId }: UploadDocument, { id, bucket, s3Key }: ProcessedItem) {
  const success = await call(`${app.url}/v5/s3/success`, { token, body: { bucket, key: s3Key } });
  const complete = await call<{ items: { status: string }[] }>(`${app.url}/v5/s3/uploadComplete`, { token, body: { uploadId } });
  const { body } = await call<{ media: { fileSize: number }[] }>(`${app.url}/v5/mediacontainer/${id}`, { token });
  return { success: success.status, batch: complete.body.items.map(({ status }) => status), size: body.media[0]?.fileSize };
}

describe.each(Object.entries<S3Program>(S3_PROGRAMS))('%s', (_name, program) => {
  let item: ProcessedItem;
  /** Of the same batch, but of another group. */
  let sibling: ProcessedItem;

  beforeAll(async () => {
    const { processed } = await prepare(aFile(), aFile({ type: 'video', fileName: 'film', originalFileExtension: 'mp4' }));
    [item, sibling] = processed as [ProcessedItem, ProcessedItem];
  });

  /** Tries something in an empty folder. */
  const attempt = async (operation: keyof S3Program, how: { item?: ProcessedItem; key?: string; file?: string }): Promise<Outcome> => {
    const { item: who = item, key = who.s3Key, file = path.join(folder, 'small') } = how;
    const run = program[operation];
    if (!run) throw new Error(`It does not know ${operation}.`);
    return await run({ item: who, key, file }, mkdtempSync(path.join(folder, 'home-')));
  };

  it('uploads a small file', async () => {
    const batch = await prepare(aFile({ fileSize: 1 }));
    const [first] = batch.processed as [ProcessedItem];
    expect(await attempt('put', { item: first })).toMatchObject({ code: 0 });
    expect(await finish(batch, first)).toEqual({ success: 200, batch: ['successful'], size: 11 });
  });

  if (program.putInParts)
    it('uploads 20 MB in parts', async () => {
      const batch = await prepare(aFile({ type: 'video', fileName: 'film', originalFileExtension: 'mp4', fileSize: LARGE }));
      const [first] = batch.processed as [ProcessedItem];
      expect(await attempt('putInParts', { item: first, file: path.join(folder, 'large') })).toMatchObject({ code: 0 });
      expect((await stored(first))?.etag).toMatch(/-[34]$/);
      expect(await finish(batch, first)).toEqual({ success: 200, batch: ['successful'], size: LARGE });
    });

  it('is refused for the key of a sibling, whose credentials are others', async () => {
    expectRefusal(await attempt('put', { key: sibling.s3Key }), DENIED);
    if (program.putInParts) expectRefusal(await attempt('putInParts', { key: sibling.s3Key, file: path.join(folder, 'large') }), DENIED);
    expect(await stored(sibling)).toBeNull();
  });

  it('cannot read, list or delete its uploads', async () => {
    expect(await attempt('put', {})).toMatchObject({ code: 0 });
    const before = await stored(item);
    const received = path.join(mkdtempSync(path.join(folder, 'received-')), 'file');
    expectRefusal(await attempt('get', { file: received }), DENIED);
    expectRefusal(await attempt('list', {}), DENIED);
    expectRefusal(await attempt('remove', {}), DENIED);
    expect(existsSync(received) && readFileSync(received, 'utf8').includes('hello')).toBe(false);
    expect(await stored(item)).toEqual(before);
  });

  it('can do this with other credentials, which proves the refusals', async () => {
    const {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      sessionToken: SessionToken = '',
    } = await assumeRole(storage.address);
    const mighty = { ...sibling, credentials: { ...sibling.credentials, AccessKeyId, SecretAccessKey, SessionToken } };
    expect(await attempt('put', { item: mighty })).toMatchObject({ code: 0 });
    const received = path.join(mkdtempSync(path.join(folder, 'received-')), 'file');
    expect(await attempt('get', { item: mighty, file: received })).toMatchObject({ code: 0 });
    expect(readFileSync(received, 'utf8')).toBe('hello world');
    expect(await attempt('list', { item: mighty })).toMatchObject({
      code: 0,
      output: expect.stringContaining(path.basename(sibling.s3Key)),
    });
    expect(await attempt('remove', { item: mighty })).toMatchObject({ code: 0 });
    expect(await stored(sibling)).toBeNull();
  });

  it('is refused with a session token that was changed', async () => {
    const [fresh] = (await prepare(aFile())).processed as [ProcessedItem];
    const { SessionToken } = fresh.credentials;
    const middle = Math.floor(SessionToken.length / 2);
    const changed = `${SessionToken.slice(0, middle)}${SessionToken[middle] === 'A' ? 'B' : 'A'}${SessionToken.slice(middle + 1)}`;
    const forged = { ...fresh, credentials: { ...fresh.credentials, SessionToken: changed } };
    expectRefusal(await attempt('put', { item: forged }), /InvalidToken/);
    expect(await stored(fresh)).toBeNull();
  });

  it('is refused when its credentials have expired', async () => {
    const [fresh] = (await prepare(aFile())).processed as [ProcessedItem];
    offsetMs = SIXTEEN_MINUTES_MS;
    const outcome = await attempt('put', { item: fresh });
    offsetMs = 0;
    expectRefusal(outcome, /ExpiredToken/);
    expect(await stored(fresh)).toBeNull();
  });
});

describe('local-storage/README.md', () => {
  const read = (name: string) => readFileSync(path.join(REPOSITORY, name), 'utf8');
  beforeAll(buildProgram, BUILD_MS);

  it('starts the storage alone, and stores, lists and reads an object with curl', async () => {
    const port = String(await findPort('127.0.0.1', 0));
    const page = read('local-storage/README.md').replaceAll('/tmp/storage', path.join(folder, 'alone')).replaceAll('9000', port);
    const [start = '', use = ''] = [...page.matchAll(/^```\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands);
    const terminal = { cwd: REPOSITORY, env: { PATH: process.env.PATH ?? '', HOME: folder } };
    const server = startCommands(start, terminal);
    await eventually(() => server.isOver || server.stdout.includes('Ctrl-C stops it.'));
    const client = startCommands(use, terminal);
    expect({ code: await client.ended, problem: server.stderr }).toEqual({ code: 0, problem: '' });
    expect(client.stdout).toContain('<Key>README.md</Key>');
    expect(client.stdout.endsWith(read('README.md'))).toBe(true);
    await interrupt(server);
  });
});
