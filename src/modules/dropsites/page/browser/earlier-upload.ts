import { Batch, type Progress, type UploadFile } from '@media-delivery/sdk/uploader';
import { withId } from './choice.js';
import type { Picked } from './file-picker.js';
import type { Remembered, RememberedFile, ResumeStore } from './resume-store.js';
import type { Sender } from './service-client.js';

/** An incomplete upload of an earlier visit. Its files must be chosen again, because a page cannot keep them over a reload. */
export class EarlierUpload {
  /** Milliseconds. */
  readonly startedAt: number;
  readonly sender: Sender | null;
  readonly batches: readonly Batch[];

  constructor({ startedAt, sender, batches }: Remembered, store: ResumeStore) {
    this.startedAt = startedAt;
    this.sender = sender;
    this.batches = batches.map(({ uploadId, completed, files }) => {
      const restored = files.map((file) => restore(file, store.progressOf(file.id)));
      return Object.assign(new Batch(uploadId, restored), { isCompleted: completed });
    });
  }

  get files(): UploadFile[] {
    return this.batches.flatMap(({ files }) => files);
  }

  /** The files that must be chosen again. */
  get missing(): UploadFile[] {
    return this.files.filter(isMissing);
  }

  /**
   * Takes the files that belong to this upload. Returns the changed files and those that it did not contain: they are sent as new
   * ones.
   */
  take(picked: readonly Picked[]) {
    const known = this.files.filter((file) => !isMissing(file));
    const { found, changed, others } = matchFiles({ missing: this.missing, known }, picked);
    for (const [remembered, file] of found) remembered.file = file;
    for (const { missing } of changed) Object.assign(missing, { state: 'left-out', problem: 'The file has changed.' });
    return { found: found.size, changed: changed.map((one) => one.picked), others };
  }

  /** Leaves out the files that were not chosen again. */
  leaveOutMissing(): void {
    for (const file of this.missing) file.state = 'left-out';
  }
}

export const isMissing = ({ isOpen, file, progress }: UploadFile): boolean => isOpen && file === null && !progress.stored;

function restore(remembered: RememberedFile, progress: Progress): UploadFile {
  const file = withId(remembered);
  file.progress = progress;
  if (progress.delivered) file.state = 'delivered';
  else if (progress.leftOut) file.state = 'left-out';
  return file;
}

type Named = Pick<RememberedFile, 'path' | 'size' | 'lastModified'>;

/**
 * Finds the files of an earlier visit among those that were chosen again. A file is the same if its name, size and date are; its path
 * counts if there is one, so that files with the same name in different folders are not confused. `changed`: the name is the same, but the
 * size or date differs. `others`: not part of the earlier upload. Files that are already `known` (delivered, or chosen again before) are
 * skipped.
 */
export function matchFiles<T extends Named>({ missing, known }: { missing: readonly T[]; known: readonly T[] }, picked: readonly Picked[]) {
  const open = new Set(missing);
  const found = new Map<T, File>();
  const changed: { missing: T; picked: Picked }[] = [];
  let rest = [...picked];
  for (const keyOf of [whole, byName]) {
    const wanted = group(open, keyOf);
    const passed = group(known, keyOf);
    rest = rest.filter((one) => {
      const key = keyOf({ path: one.path, size: one.file.size, lastModified: one.file.lastModified });
      const match = wanted.get(key)?.shift();
      if (!match) return !passed.has(key);
      open.delete(match);
      found.set(match, one.file);
      return false;
    });
  }
  for (const keyOf of [pathOf, nameOf]) {
    const wanted = group(open, keyOf);
    rest = rest.filter((one) => {
      const match = wanted.get(keyOf(one))?.shift();
      if (!match) return true;
      open.delete(match);
      changed.push({ missing: match, picked: one });
      return false;
    });
  }
  return { found, changed, others: rest };
}

function group<T>(files: Iterable<T>, keyOf: (file: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const file of files) {
    const same = groups.get(keyOf(file));
    if (same) same.push(file);
    else groups.set(keyOf(file), [file]);
  }
  return groups;
}

const pathOf = ({ path }: { path: string }): string => path;
const nameOf = ({ path }: { path: string }): string => path.slice(path.lastIndexOf('/') + 1);
const whole = ({ path, size, lastModified }: Named): string => JSON.stringify([path, size, lastModified]);
const byName = (file: Named): string => JSON.stringify([nameOf(file), file.size, file.lastModified]);
