import { type LicenseValues, NO_LICENSE } from '../library/license';

/** What is done with the files of an upload when they have arrived. */
export interface UploadPlan {
  readonly tags: readonly string[];
  readonly formatIds: readonly number[];
  readonly license: LicenseValues;
}

export const NO_PLAN: UploadPlan = { tags: [], formatIds: [], license: NO_LICENSE };

/** What is known of a file without its content. */
export interface FileFacts {
  readonly name: string;
  readonly size: number;
}

/** An upload as the browser keeps it, to continue it after a reload with the same files. */
export interface UploadRecord {
  readonly id: string;
  /** Of the person who uploads. */
  readonly userId: number;
  readonly files: readonly FileFacts[];
  readonly plan: UploadPlan;
}

const STORED = 'console:uploads';
/** Older records are given up: the service removes unfinished uploads after a day without activity. */
const MAX_RECORDS = 20;

/** The unfinished uploads of a person, the newest first. */
export const readRecords = (userId: number): UploadRecord[] => readAll().filter((record) => record.userId === userId);

function readAll(): UploadRecord[] {
  try {
    const records: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]');
    return Array.isArray(records) ? records : [];
  } catch {
    return []; // invalid data is ignored
  }
}

/** Keeps a record. Without space for it the upload runs, but cannot be continued after a reload. */
export function keepRecord({ id, userId, files, plan }: UploadRecord): void {
  const facts = files.map(({ name, size }) => ({ name, size }));
  store([{ id, userId, files: facts, plan }, ...readAll().filter((record) => record.id !== id)].slice(0, MAX_RECORDS));
}

/** Whether an upload has begun and is not finished. */
export const hasRecord = (id: string): boolean => readAll().some((record) => record.id === id);

export function removeRecord(id: string): void {
  store(readAll().filter((record) => record.id !== id));
}

function store(records: readonly UploadRecord[]): void {
  try {
    localStorage.setItem(STORED, JSON.stringify(records));
  } catch {
    // No space, or the browser keeps nothing.
  }
}

/** The chosen files in the order of the record; null: one or more of them are missing. Names may repeat. */
export function matchFiles<Chosen extends FileFacts>(wanted: readonly FileFacts[], chosen: readonly Chosen[]): Chosen[] | null {
  const keyOf = ({ name, size }: FileFacts) => `${size} ${name}`;
  const byKey = new Map<string, Chosen[]>();
  for (const file of chosen) byKey.set(keyOf(file), [...(byKey.get(keyOf(file)) ?? []), file]);
  const found = wanted.map((file) => byKey.get(keyOf(file))?.shift());
  return found.every((file) => file !== undefined) ? found : null;
}
