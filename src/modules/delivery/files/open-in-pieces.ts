import { buffer } from 'node:stream/consumers';
import { type ObjectStorage, type StoredObject, UnsatisfiableRange } from '../../../shared/storage/index.js';
import type { Range } from './parse-range.js';

/** Where no versions are kept, the entity tag tells that it is still the same. */
type PinnedObject = Pick<StoredObject, 'key' | 'version' | 'etag'>;

interface Part extends Range {
  /** Of each piece but the last; what one viewer takes of the memory. */
  readonly pieceBytes: number;
}

/**
 * Part of an object, piece by piece. Each is fetched as fast as the storage gives it: a slow viewer holds none of the connections to the
 * storage, which are few, and which everything else needs too. Null: the object has gone, or is another one by now.
 */
export async function openInPieces(
  storage: ObjectStorage,
  object: PinnedObject,
  { start, end, pieceBytes }: Part,
): Promise<AsyncIterable<Buffer> | null> {
  const pieceAt = async (at: number) => await readPiece(storage, object, { start: at, end: Math.min(end, at + pieceBytes - 1) });
  const first = await pieceAt(start);
  return first && follow(first);

  async function* follow(piece: Buffer): AsyncGenerator<Buffer> {
    yield piece;
    for (let at = start + piece.length; at <= end; ) {
      const next = await pieceAt(at);
      if (!next) throw new Error('The object was deleted or replaced while it was sent.');
      yield next;
      at += next.length;
    }
  }
}

async function readPiece(storage: ObjectStorage, { key, version, etag }: PinnedObject, range: Range): Promise<Buffer | null> {
  try {
    const found = await storage.read(key, { version, range });
    const bytes = found && (await buffer(found.body));
    return found?.etag === etag && bytes?.length === range.end - range.start + 1 ? bytes : null;
  } catch (error) {
    if (error instanceof UnsatisfiableRange) return null; // what is there now is shorter
    throw error;
  }
}
