import type { MediaType, Progress } from '@media-delivery/sdk/uploader';
import type { Sender } from './service-client.js';

export interface RememberedFile {
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly lastModified: number;
  readonly type: MediaType;
}

interface RememberedBatch {
  readonly uploadId: string;
  readonly completed: boolean;
  readonly files: readonly RememberedFile[];
}

/** An upload that was begun. */
export interface Remembered {
  /** Milliseconds. */
  readonly startedAt: number;
  readonly sender: Sender | null;
  readonly batches: readonly RememberedBatch[];
}

const VERSION = 1;

/**
 * Stores the data that a reload needs: the files that were announced under each uploadId, and their progress. It uses localStorage, so that
 * a closed tab or a crashed browser causes no loss either, until everything is delivered or the person discards the upload.
 *
 * It contains no secrets. Credentials of the storage are requested again; the session token and the password stay in memory only, because
 * anyone who reads them could upload as the sender. With the sender's own e-mail address a new session for the same sender is opened
 * instead.
 *
 * The list is written once and each file's progress under a separate key, so that a delivery of thousands of files does not write megabytes
 * repeatedly.
 */
export class ResumeStore {
  #storage;
  #prefix;

  /** `storage`: null if nothing is remembered. */
  constructor(link: string, storage: Storage | null) {
    this.#storage = storage;
    this.#prefix = `upload:${link}`;
  }

  load(): Remembered | null {
    const record = this.#read<Remembered & { version: number; batches: ReturnType<typeof shrink>[] }>(this.#prefix);
    if (record?.version !== VERSION) return null;
    return { ...record, batches: record.batches.map(expand) };
  }

  /** The stored progress of a file. */
  progressOf(id: string): Progress {
    return this.#read(`${this.#prefix}:${id}`) ?? {};
  }

  /** Stores the upload; false if the browser cannot (no space, or not permitted): then it cannot be resumed after a reload. */
  save(record: Remembered): boolean {
    return this.#write(this.#prefix, { ...record, version: VERSION, batches: record.batches.map(shrink) });
  }

  note(id: string, progress: Progress): boolean {
    return this.#write(`${this.#prefix}:${id}`, progress);
  }

  clear(): void {
    const storage = this.#storage;
    if (!storage) return;
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
    for (const key of keys) if (key === this.#prefix || key.startsWith(`${this.#prefix}:`)) storage.removeItem(key);
  }

  #read<T>(key: string): T | null {
    try {
      return JSON.parse(this.#storage?.getItem(key) ?? 'null');
    } catch {
      return null; // invalid or truncated data is ignored
    }
  }

  #write(key: string, value: object): boolean {
    try {
      this.#storage?.setItem(key, JSON.stringify(value));
      return this.#storage !== null;
    } catch {
      return false; // no space
    }
  }
}

/** Converts files to arrays, because the storage has five megabytes and property names would take a third of them. */
const shrink = ({ uploadId, completed, files }: RememberedBatch) => ({
  uploadId,
  completed,
  files: files.map(({ id, path, size, lastModified, type }) => [id, path, size, lastModified, type] as const),
});

const expand = ({ uploadId, completed, files }: ReturnType<typeof shrink>): RememberedBatch => ({
  uploadId,
  completed,
  files: files.map(([id, path, size, lastModified, type]) => ({ id, path, size, lastModified, type })),
});

/** The time to wait for a lock of another tab with the same dropsite; after a reload the previous page needs a moment to release it. */
const LOCK_MS = 1_000;

/** The browser's storage, if no other tab sends to the dropsite, because two tabs would overwrite each other's data; otherwise null. */
export async function claimStorage(link: string): Promise<Storage | null> {
  try {
    const { localStorage } = window; // throws where site data is blocked
    if (!navigator.locks) return localStorage;
    return await new Promise((resolve) => {
      navigator.locks
        .request(`upload:${link}`, { signal: AbortSignal.timeout(LOCK_MS) }, () => {
          resolve(localStorage);
          return new Promise(() => {}); // held until the page closes
        })
        .catch(() => resolve(null));
    });
  } catch {
    return null;
  }
}
