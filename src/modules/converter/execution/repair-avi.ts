import { type FileHandle, open } from 'node:fs/promises';
import { readAt } from './is-zip-bomb.js';

/** The header of a chunk: four letters and its length. */
const CHUNK_BYTES = 8;
/** `RIFF`, the length of the file, `AVI `. */
const FIRST_CHUNK = 12;
/** Before the media there are headers, texts and padding. */
const MAX_CHUNKS = 100;
/** An entry of the index: the letters of a chunk, flags, where it begins, and its length. */
const ENTRY_BYTES = 16;
/** Entries that are compared with the chunks that they name. */
const COMPARED = 16;

interface Chunk {
  readonly start: number;
  readonly length: number;
}

/**
 * Makes programs ignore the index of an AVI (`idx1`, AVI RIFF File Reference) whose entries do not name the chunks of the file in their order: ffmpeg
 * would read the pictures from wrong places, and without an index it reads them one after the other. Changes nothing in other files.
 */
export async function repairAvi(name: string): Promise<void> {
  const file = await open(name, 'r+');
  try {
    const head = await readAt(file, 0, FIRST_CHUNK);
    if (!/^RIFF....AVI $/s.test(head.toString('latin1'))) return;
    const { media, index } = await findChunks(file);
    if (media && index && !(await isRight(file, media, index))) await file.write(Buffer.from('JUNK'), 0, 4, index.start);
  } finally {
    await file.close();
  }
}

async function findChunks(file: FileHandle): Promise<{ readonly media: Chunk | null; readonly index: Chunk | null }> {
  let [media, index]: [Chunk | null, Chunk | null] = [null, null];
  let at = FIRST_CHUNK;
  for (let chunks = 0; chunks < MAX_CHUNKS && index === null; chunks += 1) {
    const head = await readAt(file, at, CHUNK_BYTES + 4);
    if (head.length < CHUNK_BYTES) break;
    const [type, length] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)];
    if (type === 'LIST' && head.toString('latin1', 8, 12) === 'movi') media = { start: at, length };
    if (type === 'idx1') index = { start: at, length };
    at += CHUNK_BYTES + length + (length % 2);
  }
  return { media, index };
}

/**
 * Whether the compared entries name chunks, those of each stream in their order. Places are counted from the letters `movi`, or by some programs from the
 * beginning of the file.
 */
async function isRight(file: FileHandle, media: Chunk, index: Chunk): Promise<boolean> {
  const count = Math.floor(index.length / ENTRY_BYTES);
  const step = Math.max(1, Math.ceil(count / COMPARED));
  const places = new Map<string, number>();
  let base: number | null = null;
  for (let entry = 0; entry < count; entry += step) {
    const bytes = await readAt(file, index.start + CHUNK_BYTES + ENTRY_BYTES * entry, ENTRY_BYTES);
    if (bytes.length < ENTRY_BYTES) return true; // the end of the file is missing, and with it the index
    const [type, place] = [bytes.toString('latin1', 0, 4), bytes.readUInt32LE(8)];
    base ??= (await isChunk(file, place, type)) ? 0 : media.start + CHUNK_BYTES;
    if (place < (places.get(type) ?? 0) || !(await isChunk(file, base + place, type))) return false;
    places.set(type, place);
  }
  return true;
}

/** Whether a chunk of this type begins here, or the place is not part of an excerpt (FileExcerptService). */
async function isChunk(file: FileHandle, start: number, type: string): Promise<boolean> {
  const found = (await readAt(file, start, 4)).toString('latin1');
  return found === (type === 'rec ' ? 'LIST' : type) || found === '\0\0\0\0';
}
