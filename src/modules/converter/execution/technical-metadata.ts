import { readFile, writeFile } from 'node:fs/promises';
import { bytesOfDocument, MAX_DOCUMENT_BYTES } from '../../../shared/validation/index.js';

interface Written {
  readonly format?: Record<string, unknown>;
}

/** What ffprobe wrote, without the place where it found the file; the file is written anew without it. */
export async function readTechnicalMetadata(file: string): Promise<object> {
  const written = JSON.parse(await readFile(file, 'utf8'), withoutZeros) as Written;
  const { filename: _, ...format } = written.format ?? {};
  const told = { ...written, format };
  await writeFile(file, `${JSON.stringify(told, null, 2)}\n`);
  return bounded(told);
}

/** Whoever made the file decides how many chapters and tags there are; what is too much to be kept stands in the file of the format only. */
function bounded({ format, ...written }: Written): object {
  const { tags: _, ...plain } = format ?? {};
  const candidates = [
    { ...written, format },
    { ...written, chapters: [], format },
    { streams: [], chapters: [], format: plain },
  ];
  return candidates.find((candidate) => bytesOfDocument(candidate) <= MAX_DOCUMENT_BYTES) ?? {};
}

/** PostgreSQL's jsonb holds none. */
const withoutZeros = (_: string, value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('\0', '') : value);
