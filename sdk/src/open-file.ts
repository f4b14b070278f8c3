import type { UploadInput } from './upload.js';
import { fileUnreadable } from './uploader/errors.js';

/** The part of Node.js that is used here; `getBuiltinModule` needs no import, which browsers and bundlers cannot resolve. */
interface FileSystem {
  statSync(path: string): { size: number };
  openSync(path: string, flags: 'r'): number;
  readSync(file: number, buffer: Uint8Array, offset: number, length: number, position: number): number;
  closeSync(file: number): void;
}

/** A file on disk for `upload`, of any size, on Node.js. (A Blob from `openAsBlob` is truncated at 2 GiB without an error.) */
export function openFile(path: string): UploadInput {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: 'node:fs'): FileSystem } };
  const fs = process?.getBuiltinModule?.('node:fs');
  if (!fs) throw new TypeError('openFile() requires Node.js; in a page, use the File that a person has chosen.');
  const { size } = fs.statSync(path);
  const slice = (start: number, end: number, type = ''): Blob => new Blob([readBytes(fs, { path, start, length: end - start })], { type });
  return { file: { size, type: '', slice }, fileName: path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1) };
}

function readBytes(fs: FileSystem, { path, start, length }: { path: string; start: number; length: number }): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  const file = fs.openSync(path, 'r');
  try {
    for (let done = 0; done < length; ) {
      const read = fs.readSync(file, bytes, done, length - done, start + done);
      if (read === 0) throw fileUnreadable(`${path} has become shorter since its upload began.`);
      done += read;
    }
  } finally {
    fs.closeSync(file);
  }
  return bytes;
}
