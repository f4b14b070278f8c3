import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findLocalStorage, type LocalStorageAddress, startLocalStorage } from '@media-delivery/local-storage';
import type { acquireObjectStorage, superviseObjectStorage } from '../../src/embedded/object-storage/acquire-object-storage.js';
import { processStartTime } from '../../src/shared/process-start-time.js';
import { BUILD_MS, buildProgram } from '../support/app/clone.js';
import { REPOSITORY, spawnProgram } from '../support/app/program.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { eventually } from '../support/eventually.js';

const PART = 5 * 1024 ** 2;
const place = { host: '127.0.0.1', port: 0 };

/** The build, because the child processes run without Jest. */
const ACQUIRE = pathToFileURL(path.join(REPOSITORY, 'dist/src/embedded/object-storage/acquire-object-storage.js')).href;
let acquire: typeof acquireObjectStorage;
let supervise: typeof superviseObjectStorage;
let folder: string;
let dataDir: string;
let ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  folder = makeTestFolder();
  await buildProgram();
  ({ acquireObjectStorage: acquire, superviseObjectStorage: supervise } = await import(ACQUIRE));
}, BUILD_MS);
afterAll(async () => await removeTestFolder(folder));

beforeEach(() => {
  dataDir = path.join(mkdtempSync(path.join(folder, 'data-')), 'storage');
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
  ends = [];
});

describe('The process of the local object storage', () => {
  it('is restarted at the same port when it is killed, with a line in the log', async () => {
    const { storage, log } = await keep();
    const first = serverPid();
    process.kill(first, 'SIGKILL');
    await eventually(() => log.length > 0);
    expect(log).toEqual(['the local object storage stopped unexpectedly and was restarted']);
    expect(findLocalStorage(dataDir)?.address).toMatchObject({ endpoint: storage.endpoint });
    expect(serverPid()).not.toBe(first);
    await put(storage, 'after', 'x');
  });

  it('ends with its parent process', async () => {
    const { storage } = await keep();
    const pid = serverPid();
    await storage.release();
    ends.pop();
    expect(processStartTime(pid)).toBeNull();
    expect(findLocalStorage(dataDir)).toBeNull();
  });

  it('is not left behind by a kill -9 of the service', async () => {
    const script = `const { superviseObjectStorage } = await import('${ACQUIRE}');
      await superviseObjectStorage({ dataDir: process.argv[1], host: '127.0.0.1', port: 0 }, console);
      console.log('ready'); setInterval(() => {}, 1e6);`;
    const service = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(createInterface(service.stdout), 'line');
    const pid = serverPid();
    service.kill('SIGKILL');
    expect(await eventually(() => processStartTime(pid) === null)).toBe(true);
  });

  it('is used by a command while the service runs, and outlives the command', async () => {
    const { storage } = await keep();
    const held = await acquire({ ...place, dataDir });
    expect(held).toMatchObject({ endpoint: storage.endpoint, key: storage.key });
    await held.release();
    await put(storage, 'still', 'there');
  });

  it('is started for a command when the service does not run, and ends with it', async () => {
    const held = await acquire({ ...place, dataDir });
    await put(held, 'key', 'x');
    const pid = serverPid();
    await held.release();
    expect(processStartTime(pid)).toBeNull();
  });

  it('is one for two programs that start at the same moment', async () => {
    const both = await Promise.all([acquire({ ...place, dataDir }), acquire({ ...place, dataDir })]);
    expect(both[0].endpoint).toBe(both[1].endpoint);
    await Promise.all(both.map(({ release }) => release()));
  });

  it('reports a port in use', async () => {
    const rival = createServer().listen(0, '127.0.0.1');
    await once(rival, 'listening');
    const { port } = rival.address() as { port: number };
    const attempt = acquire({ dataDir, host: '127.0.0.1', port });
    await expect(attempt).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringMatching(`Port ${port} is taken: .*STORAGE_PORT=`),
    });
    await new Promise((resolve) => rival.close(resolve));
  });

  it('never serves one folder twice, and keeps its key for itself', async () => {
    const { storage } = await keep();
    await expect(startLocalStorage({ port: 0, dataDirectory: dataDir })).rejects.toMatchObject({ reason: 'folder_in_use' });
    expect(statSync(path.join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
    await put(storage, 'key', 'x');
  });

  it('refuses to be used in production', async () => {
    process.env.NODE_ENV = 'production';
    const attempt = acquire({ ...place, dataDir }).finally(() => {
      process.env.NODE_ENV = 'test';
    });
    await expect(attempt).rejects.toMatchObject({ name: 'StartupError', message: expect.stringContaining('S3_BUCKET') });
  });
});

describe('The program local-storage', () => {
  const run = (...args: string[]) => spawnProgram({ command: [process.execPath, 'local-storage/bin/local-storage.js', ...args] });

  it('serves a folder alone, also to the service, and releases it when it is told to end', async () => {
    const alone = run('--data-directory', dataDir, '--port', '0');
    await eventually(() => alone.output.stdout.includes('secrets.json'));
    expect(findLocalStorage(dataDir)?.pid).toBe(alone.process.pid);
    const held = await acquire({ ...place, dataDir });
    await put(held, 'key', 'x');
    expect(alone.output.stdout).toContain(held.endpoint);
    expect(alone.output.stdout).not.toContain(held.key.secretAccessKey);
    expect(await alone.end('SIGTERM')).toBe(0);
    expect(findLocalStorage(dataDir)).toBeNull();
  });

  it('explains what it cannot do in one line', async () => {
    const { storage } = await keep();
    const { port } = new URL(storage.endpoint);
    const elsewhere = path.join(folder, 'elsewhere');
    const attempts: [string[], RegExp][] = [
      [[], /^--data-directory is missing/],
      [['--data-directory', elsewhere, '--port', '70000'], /^--port must be a number from 0 to 65535\.$/m],
      [['--data-directory', elsewhere, '--port', port], /^Port \d+ is taken: choose another one, or 0 for any free one\.\n$/],
      [['--data-directory', dataDir], /^Process \d+ serves \S+ already: stop it, or choose another folder\.\n$/],
      [['--data-directory', '/etc/hostname'], /^The folder cannot be used: EEXIST.*\n$/],
    ];
    const programs = attempts.map(([args, problem]) => ({ program: run(...args), problem }));
    for (const { program, problem } of programs) {
      expect(await program.ended).toBe(1);
      expect(program.output.stderr).toMatch(problem);
    }
  });
});

describe('After kill -9 in the middle of uploads', () => {
  it('every acknowledged object is complete, and no partial one exists', async () => {
    const { storage, log } = await keep();
    const acknowledged = new Map<string, string>();
    const letGo = new AbortController();
    const clients = [1, 2, 3].map((client) => uploadOn(storage, client, { acknowledged, letGo: letGo.signal }));
    for (let kill = 1; kill <= 4; kill += 1) {
      const wanted = acknowledged.size + 12;
      await eventually(() => acknowledged.size >= wanted);
      process.kill(serverPid(), 'SIGKILL');
      await eventually(() => log.length === kill);
    }
    letGo.abort();
    await Promise.all(clients);
    const found = await readAll(storage);
    for (const [key, hash] of acknowledged) expect([key, found.get(key)?.hash]).toEqual([key, hash]);
    expect([...found.values()].filter(({ isWhole }) => !isWhole)).toEqual([]);
    expect(readdirSync(path.join(dataDir, 'temporary'))).toEqual([]);
  });
});

async function keep() {
  const log: string[] = [];
  const hear = (_details: object, message: string) => void log.push(message);
  const storage = await supervise({ ...place, dataDir }, { warn: hear, error: hear });
  ends.push(async () => await storage.release());
  return { storage, log };
}

const serverPid = (): number => (JSON.parse(readFileSync(path.join(dataDir, 'server.json'), 'utf8')) as { pid: number }).pid;

const clientOf = ({ endpoint, region, key }: LocalStorageAddress): S3Client =>
  new S3Client({ endpoint, region, credentials: key, forcePathStyle: true, maxAttempts: 1 });

async function put(storage: LocalStorageAddress, Key: string, Body: string): Promise<void> {
  const client = clientOf(storage);
  await client.send(new PutObjectCommand({ Bucket: storage.bucket, Key, Body }));
  client.destroy();
}

interface Uploading {
  /** The hash of each object whose upload was confirmed, by key. */
  readonly acknowledged: Map<string, string>;
  readonly letGo: AbortSignal;
}

/** Uploads small objects and ones in parts, one after the other, and begins anew whenever the server goes away. Each key is used once. */
async function uploadOn(storage: LocalStorageAddress, number: number, { acknowledged, letGo }: Uploading): Promise<void> {
  const client = clientOf(storage);
  for (let round = 0; !letGo.aborted; round += 1) {
    const Key = `client-${number}/${round}`;
    const Body = randomBytes(round % 5 === 0 ? PART + 70_000 : 40_000);
    const params = { Bucket: storage.bucket, Key, Body };
    try {
      if (round % 5 === 0) await new Upload({ client, params, partSize: PART }).done();
      else await client.send(new PutObjectCommand(params));
      acknowledged.set(Key, hashOf(Body));
    } catch {
      await eventually(() => isListening(storage)); // killed: this object may be there or not, but not half
    }
  }
  client.destroy();
}

const hashOf = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');

async function isListening({ endpoint }: LocalStorageAddress): Promise<boolean> {
  return await fetch(endpoint).then(
    () => true,
    () => false,
  );
}

async function readAll(storage: LocalStorageAddress): Promise<Map<string, { hash: string; isWhole: boolean }>> {
  const client = clientOf(storage);
  const found = new Map<string, { hash: string; isWhole: boolean }>();
  const { Contents = [], IsTruncated } = await client.send(new ListObjectsV2Command({ Bucket: storage.bucket }));
  expect(IsTruncated).toBe(false);
  for (const { Key = '', Size, ETag } of Contents) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: storage.bucket, Key }));
    const data = Buffer.from((await Body?.transformToByteArray()) ?? []);
    const isSingle = !ETag?.includes('-');
    const isWhole =
      data.length === Size && (isSingle ? ETag === `"${createHash('md5').update(data).digest('hex')}"` : Size === PART + 70_000);
    found.set(Key, { hash: hashOf(data), isWhole });
  }
  client.destroy();
  return found;
}
