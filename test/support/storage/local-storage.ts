import path from 'node:path';
import { startLocalStorage } from '@media-delivery/local-storage';
import { makeTestFolder, removeTestFolder } from '../app/test-cluster.js';
import type { StorageUnderTest } from './object-storage-clients.js';

/** The local object storage in this process, with a clock that can be moved. */
export async function startStorageUnderTest(): Promise<StorageUnderTest> {
  const folder = makeTestFolder();
  let offsetMs = 0;
  const now = () => new Date(Date.now() + offsetMs);
  const { close, ...address } = await startLocalStorage({
    dataDirectory: path.join(folder, 'storage'),
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
