import { findServer } from './folder-claim.js';
import { readSecrets } from './secrets.js';
import { addressOf, type LocalStorageAddress } from './start-local-storage.js';

/** A living process that serves a folder. */
export interface LocalStorageProcess {
  readonly pid: number;
  /** Null until it listens. */
  readonly address: LocalStorageAddress | null;
}

/** Finds the process that serves a folder; null if no living process does. It may have stopped responding. Throws the file system's error. */
export function findLocalStorage(dataDirectory: string): LocalStorageProcess | null {
  const server = findServer(dataDirectory);
  if (server === null) return null;
  const secrets = server.endpoint === '' ? null : readSecrets(dataDirectory);
  return { pid: server.pid, address: secrets && addressOf(server.endpoint, secrets) };
}
