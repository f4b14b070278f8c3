import { type FileHandle, open } from 'node:fs/promises';
import type { ByteSource } from '../../execution/mp4-boxes.js';

/** Bytes that are read at a time. */
const CHUNK_BYTES = 65_536;

/** A file that is read in pieces. It keeps the last piece, so that reading small parts one after the other costs little. */
export class FileBytes implements ByteSource {
  private chunk: Buffer = Buffer.alloc(0);
  private chunkStart = 0;

  private constructor(
    readonly handle: FileHandle,
    readonly size: number,
  ) {}

  /** Opens a file for as long as `work` runs. */
  static async using<Result>(name: string, work: (file: FileBytes) => Promise<Result>): Promise<Result> {
    const handle = await open(name);
    try {
      return await work(new FileBytes(handle, (await handle.stat()).size));
    } finally {
      await handle.close();
    }
  }

  /** Reads up to `length` bytes; fewer at the end of the file. */
  async read(position: number, length: number): Promise<Buffer> {
    const isKept = position >= this.chunkStart && position + length <= this.chunkStart + this.chunk.length;
    if (!isKept) {
      const { buffer, bytesRead } = await this.handle.read(Buffer.alloc(Math.max(length, CHUNK_BYTES)), 0, undefined, position);
      [this.chunk, this.chunkStart] = [buffer.subarray(0, bytesRead), position];
    }
    const start = position - this.chunkStart;
    return this.chunk.subarray(start, start + length);
  }

  /** The rest of the piece that begins at `position`; empty at the end of the file. */
  async readPiece(position: number): Promise<Buffer> {
    const piece = await this.read(position, 1);
    return piece.length === 0 ? piece : this.chunk.subarray(position - this.chunkStart);
  }

  /** Whether the bytes occur in the file. */
  async includes(bytes: Buffer): Promise<boolean> {
    return (await this.find(bytes)) !== null;
  }

  /** The first position of the bytes; null: they do not occur. */
  async find(bytes: Buffer): Promise<number | null> {
    const step = CHUNK_BYTES - bytes.length;
    for (let position = 0; position < this.size; position += step) {
      const at = (await this.read(position, Math.min(CHUNK_BYTES, this.size - position))).indexOf(bytes);
      if (at !== -1) return position + at;
    }
    return null;
  }
}
