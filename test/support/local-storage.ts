import path from 'node:path';
import { startObjectStorage } from '../../src/embedded/object-storage/start-object-storage.js';
import type { StorageUnderTest } from './object-storage-clients.js';
import { makeTestFolder, removeTestFolder } from './test-cluster.js';

/** The local object storage in this process, with a clock that can be moved. */
export async function startLocalStorage(): Promise<StorageUnderTest> {
  const folder = makeTestFolder();
  let offsetMs = 0;
  const now = () => new Date(Date.now() + offsetMs);
  const { close, ...address } = await startObjectStorage({
    dataDir: path.join(folder, 'storage'),
    host: '127.0.0.1',
    port: 0,
    now,
    durable: false,
  });
  const advance = (milliseconds: number) => {
    offsetMs += milliseconds;
  };
  const stop = async () => {
    await close();
    await removeTestFolder(folder);
  };
  return { ...address, advance, stop };
}
