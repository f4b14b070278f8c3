import { MAX_FILE_SIZE, type MediaType, mediaTypeOf, UploadFile, type UploadFileOptions } from '@media-delivery/sdk/uploader';
import type { Picked } from './file-picker.js';
import { countFiles, sizeOf } from './format.js';

/** Nouns for the media types, as in `images and videos`. */
const WORDS: Readonly<Record<MediaType, string>> = { video: 'videos', audio: 'sound files', image: 'images', document: 'documents' };

/** The files that a person has chosen, until the upload starts. */
export class Choice {
  files: UploadFile[] = [];
  #allowedTypes;

  /** `allowedTypes`: empty if all are allowed. */
  constructor(allowedTypes: readonly string[]) {
    this.#allowedTypes = allowedTypes;
  }

  /** The files that can be sent. */
  get good(): UploadFile[] {
    return this.files.filter(({ state }) => state === 'waiting');
  }

  /** In bytes. */
  get totalSize(): number {
    return sizeOf(this.good);
  }

  /** Adds files that are not in the list yet; returns their number. */
  add(picked: readonly Picked[]): number {
    const known = new Set(this.files.map(likeness));
    const before = this.files.length;
    for (const one of picked) {
      const file = toUploadFile(one);
      if (known.has(likeness(file))) continue;
      known.add(likeness(file));
      const problem = this.#problemOf(file);
      if (problem) Object.assign(file, { state: 'refused', problem });
      this.files.push(file);
    }
    return this.files.length - before;
  }

  remove(file: UploadFile): void {
    this.files = this.files.filter((one) => one !== file);
  }

  clear(): void {
    this.files = [];
  }

  #problemOf({ type, size }: UploadFile): string {
    if (size > MAX_FILE_SIZE) return 'The file is larger than 5 TiB.';
    if (this.#allowedTypes.length === 0 || this.#allowedTypes.includes(type)) return '';
    return `This dropsite accepts only ${wordsFor(this.#allowedTypes)}.`;
  }
}

function wordsFor(types: readonly string[]): string {
  const words = types.map((type) => WORDS[type as MediaType] ?? type);
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** A key that is the same for files that look the same to the person who chooses them. */
export const likeness = ({ path, size, lastModified }: UploadFile): string => JSON.stringify([path, size, lastModified]);

/** The service's maximum length of a name. */
const MAX_NAME_LENGTH = 1_024;

/**
 * Converts a chosen file to a file to upload. Its name is the path, which distinguishes files with the same name; a path that is too long
 * is replaced by the end of the name.
 */
export function toUploadFile({ path, file }: Picked): UploadFile {
  return withId({
    id: crypto.randomUUID(),
    path: path.length <= MAX_NAME_LENGTH ? path : file.name.slice(-MAX_NAME_LENGTH),
    size: file.size,
    lastModified: file.lastModified,
    type: mediaTypeOf(file.name, file.type),
    file,
  });
}

/** A file whose id the service returns as `uuid`. */
export const withId = (file: UploadFileOptions): UploadFile => new UploadFile({ ...file, fields: { uuid: file.id } });

/** Texts about chosen files: one to announce, and one to show. */
export interface Remark {
  readonly text: string;
  readonly lasting: string;
}

export function remarkOnNew({ added, known, refused }: { added: number; known: number; refused: number }): Remark {
  const lasting = [
    ...(known > 0 ? [`${countFiles(known)} already chosen.`] : []),
    ...(refused > 0 ? [`${countFiles(refused)} will not be sent, see below.`] : []),
  ];
  return { text: `${countFiles(added)} added.`, lasting: lasting.join(' ') };
}

/** For files that were chosen again for an earlier upload; `others` were not part of it. */
export function remarkOnFound(taken: { found: number; changed: readonly Picked[]; others: readonly Picked[] }): Remark {
  const { found, changed, others } = taken;
  const names = changed.map(({ path }) => path).join(', ');
  const lasting = [
    ...(changed.length > 0 ? [`Changed files, which are sent from the beginning: ${names}.`] : []),
    ...(others.length > 0 ? [`${countFiles(others.length)} not in the earlier upload will also be sent.`] : []),
  ];
  return { text: `${countFiles(found)} found again.`, lasting: lasting.join(' ') };
}
