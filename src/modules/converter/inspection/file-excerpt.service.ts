import { open } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { SOURCE } from '../../formats/index.js';
import { type AcceptedObject, AcceptedObjectsService, type MediaItem } from '../../media/index.js';
import { type ByteSource, boxesOfFile, MalformedFile } from '../execution/mp4-boxes.js';
import { ObjectDownloadService } from '../execution/object-download.service.js';

const MEBIBYTE = 1_048_576;
/** Files up to this size are fetched completely. */
export const MAX_WHOLE_BYTES = 64 * MEBIBYTE;
/** ffprobe reads 5 MB at the start of a file; formats without an index state their duration by the times at the end. */
const HEAD_BYTES = 16 * MEBIBYTE;
const TAIL_BYTES = 8 * MEBIBYTE;
/** The index of a film of a day. */
const MAX_INDEX_BYTES = 64 * MEBIBYTE;
/** Files of films have fewer boxes before their index. */
const MAX_BOXES = 64;

type ExcerptedItem = AcceptedObject & Pick<MediaItem, 'fileSize'>;

interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Fetches what an inspection reads of a file, so that its cost does not depend on the size of the file. */
@Injectable()
export class FileExcerptService {
  constructor(
    private readonly downloads: ObjectDownloadService,
    private readonly objects: AcceptedObjectsService,
  ) {}

  /**
   * Writes a file of the item's size into the folder. A large one has only its beginning, its end and the index of an MP4 file; the rest are
   * zeros, which take no space on the disk. False: the object no longer exists. Throws `object_changed`, and an Outage if storage or disk fail.
   */
  async fetch(item: ExcerptedItem, folder: string, signal: AbortSignal): Promise<boolean> {
    await this.downloads.requireRoom(folder, Math.min(item.fileSize, MAX_WHOLE_BYTES + MAX_INDEX_BYTES));
    const file = path.join(folder, SOURCE);
    if (item.fileSize <= MAX_WHOLE_BYTES) return await this.downloads.fetch({ object: item, file, signal });
    const output = await open(file, 'wx', 0o600);
    try {
      await output.truncate(item.fileSize);
      for (const range of await this.rangesOf(item)) {
        signal.throwIfAborted();
        const bytes = await this.read(item, range);
        if (!bytes) return false;
        await output.write(bytes, 0, bytes.length, range.start);
      }
    } finally {
      await output.close();
    }
    return true;
  }

  private async rangesOf(item: ExcerptedItem): Promise<readonly Range[]> {
    const { fileSize: size } = item;
    const index = await this.findIndex(item);
    return [{ start: 0, end: HEAD_BYTES }, { start: size - TAIL_BYTES, end: size }, ...(index ? [index] : [])];
  }

  /** The place of the index (`moov`) of an MP4 file; null: the file is of another format, or its index is too long. */
  private async findIndex(item: ExcerptedItem): Promise<Range | null> {
    const source: ByteSource = {
      size: item.fileSize,
      read: async (start, length) => {
        const bytes = await this.read(item, { start, end: start + length });
        if (!bytes) throw new MalformedFile('it no longer exists');
        return bytes;
      },
    };
    try {
      let boxes = 0;
      for await (const { type, start, end } of boxesOfFile(source)) {
        boxes += 1;
        if (type === 'moov') return end - start <= MAX_INDEX_BYTES ? { start, end } : null;
        if (boxes === MAX_BOXES || !/^[a-z]{4}$/.test(type)) return null;
      }
      return null;
    } catch (error) {
      if (error instanceof MalformedFile) return null;
      throw error;
    }
  }

  private async read(item: ExcerptedItem, { start, end }: Range): Promise<Buffer | null> {
    const found = await this.objects.read(item, { start, end: end - 1 });
    return found && (await buffer(found.body));
  }
}
