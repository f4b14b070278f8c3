import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { findLocalStorage, type LocalStorage, LocalStorageError, startLocalStorage } from './index.js';

let folder: string;
let running: LocalStorage[];

beforeEach(() => {
  folder = path.join(realpathSync(mkdtempSync(path.join(tmpdir(), 'local-storage-'))), 'data');
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map(({ close }) => close()));
  rmSync(path.dirname(folder), { recursive: true });
});

async function start(port = 0): Promise<LocalStorage> {
  const storage = await startLocalStorage({ dataDirectory: folder, port, durable: false });
  running.push(storage);
  return storage;
}

const refusal = async (attempt: Promise<unknown>): Promise<LocalStorageError> =>
  await attempt.then(
    () => {
      throw new Error('It was not refused.');
    },
    (error) => error,
  );

it('a storage is found in its folder while it runs', async () => {
  expect(findLocalStorage(folder)).toBeNull();
  const { close, ...address } = await start();
  expect(findLocalStorage(folder)).toEqual({ pid: process.pid, address });
  await close();
  expect(findLocalStorage(folder)).toBeNull();
});

it('its key is made once, and readable by its owner only', async () => {
  const first = await start();
  await first.close();
  expect((await start()).key).toEqual(first.key);
  const modeOf = (name: string) => (statSync(path.join(folder, name)).mode & 0o777).toString(8);
  expect(['.', 'secrets.json', 'server.json'].map(modeOf)).toEqual(['700', '600', '600']);
});

it('a folder is served once', async () => {
  await start();
  expect(await refusal(start())).toMatchObject({
    reason: 'folder_in_use',
    message: `Process ${process.pid} serves ${folder} already: stop it, or choose another folder.`,
  });
});

it('of ten storages that start in one folder at the same moment, one serves it', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => start()));
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.reason] : []));
  expect(refused).toEqual(Array(9).fill('folder_in_use'));
  expect(findLocalStorage(folder)?.address?.endpoint).toBe(running[0]?.endpoint);
});

it('what killed processes left behind does not matter, even if their pids are in use again', async () => {
  mkdirSync(folder);
  writeFileSync(path.join(folder, `claim-${process.pid}-1-0badcafe`), '');
  writeFileSync(path.join(folder, 'claim-999999999-1-0badcafe'), '');
  writeFileSync(path.join(folder, 'server.json'), JSON.stringify({ pid: process.pid, startTime: '1', endpoint: 'http://127.0.0.1:1' }));
  expect(findLocalStorage(folder)).toBeNull();
  await start();
  expect(readdirSync(folder).filter((name) => name.startsWith('claim-'))).toEqual([]);
});

it('a process that is about to serve the folder has no address yet', async () => {
  const { close } = await start();
  const { pid, startTime } = JSON.parse(readFileSync(path.join(folder, 'server.json'), 'utf8'));
  await close();
  writeFileSync(path.join(folder, 'server.json'), JSON.stringify({ pid, startTime, endpoint: '' }));
  expect(findLocalStorage(folder)).toEqual({ pid, address: null });
  rmSync(path.join(folder, 'server.json'));
});

it('a port in use is refused with what to do, and releases the folder', async () => {
  const rival = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => rival.once('listening', resolve));
  const { port } = rival.address() as { port: number };
  expect(await refusal(start(port))).toMatchObject({
    reason: 'port_unusable',
    message: `Port ${port} is taken: choose another one, or 0 for any free one.`,
  });
  rival.close();
  await start();
});

it('it does not run in production', async () => {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  const attempt = refusal(start());
  process.env.NODE_ENV = before;
  expect(await attempt).toMatchObject({ reason: 'production', message: expect.stringContaining('NODE_ENV=production') });
  expect(findLocalStorage(folder)).toBeNull();
});
