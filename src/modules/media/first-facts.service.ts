import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { readFilmHeader } from '../../shared/film-header.js';
import { detectImageType, readImageHeader } from '../../shared/picture-header.js';
import { readRotation } from '../../shared/picture-orientation.js';
import { ObjectStorage, type StoredObject } from '../../shared/storage/index.js';
import { readSvgSize } from '../../shared/svg-size.js';
import { type MediaFacts, NO_FACTS } from './file-description.js';
import type { MediaItem } from './media-item.entity.js';

/** Enough for the profiles and previews before the size of a picture. */
const FIRST_BYTES = 262_144;
/** Programs put the EXIF data of a PNG or WebP, with its orientation, behind the picture. */
const LAST_BYTES = 65_536;
const TAILED_TYPES: ReadonlySet<string> = new Set(['png', 'webp']);
/** A film needs a few hundred bytes, a picture fewer. */
const MIN_BYTES = 32;
/** Pixels; browsers show no larger pictures. */
const MAX_SIDE = 65_535;
const SHOWN_TYPES: ReadonlySet<string> = new Set(['jpg', 'png', 'webp', 'avif', 'gif', 'bmp']);
const READ_TYPES: ReadonlySet<string> = new Set(['image', 'video', 'watermark']);

/** Reads the size of pictures and films from the first bytes of an upload, so that pages reserve the right space for it from the start. */
@Injectable()
export class FirstFactsService {
  constructor(private readonly storage: ObjectStorage) {}

  /** Returns what the first bytes say; the inspection finds out the rest. Throws `storage_unavailable`. */
  async read(item: Pick<MediaItem, 'type' | 's3Key'>, object: StoredObject): Promise<MediaFacts> {
    if (!READ_TYPES.has(item.type) || object.size < MIN_BYTES) return NO_FACTS;
    const head = await this.readHead(item, object);
    if (!head) return NO_FACTS;
    return (
      (await this.pictureFacts(item, object, head)) ?? {
        ...NO_FACTS,
        ...(item.type === 'video' ? readFilmHeader(head) : readSvgSize(head.toString())),
      }
    );
  }

  /** Reads a poster, which must be a picture that browsers show; null: it is not. Throws `storage_unavailable`. */
  async readPoster(item: Pick<MediaItem, 's3Key'>, object: StoredObject): Promise<MediaFacts | null> {
    const head = object.size < MIN_BYTES ? null : await this.readHead(item, object);
    return head && SHOWN_TYPES.has(detectImageType(head) ?? '') ? await this.pictureFacts(item, object, head) : null;
  }

  /** Returns null if the object is no longer the one that was reported. */
  private async readHead(item: Pick<MediaItem, 's3Key'>, object: StoredObject): Promise<Buffer | null> {
    return await this.readPart(item, object, { start: 0, end: Math.min(object.size, FIRST_BYTES) - 1 });
  }

  private async readPart({ s3Key }: Pick<MediaItem, 's3Key'>, { version, etag }: StoredObject, range: Range): Promise<Buffer | null> {
    const found = await this.storage.read(s3Key, { range, version });
    const bytes = found && (await buffer(found.body));
    return bytes && found.etag === etag ? bytes : null;
  }

  /** The size of a picture as viewers show it; without the sides if they depend on what is neither at its beginning nor at its end. */
  private async pictureFacts(item: Pick<MediaItem, 's3Key'>, object: StoredObject, head: Buffer): Promise<MediaFacts | null> {
    const picture = readImageHeader(head);
    if (!picture || Math.max(picture.width, picture.height) > MAX_SIDE) return null;
    const { width, height, type } = picture;
    const last = Math.max(head.length, object.size - LAST_BYTES);
    const isSplit = TAILED_TYPES.has(type) && last < object.size;
    const tail = isSplit ? await this.readPart(item, object, { start: last, end: object.size - 1 }) : null;
    let isKnown = true;
    const read = async (position: number, length: number): Promise<Buffer | null> => {
      const end = position + length;
      if (position >= 0 && end <= head.length) return head.subarray(position, end);
      if (tail && position >= last && end <= object.size) return tail.subarray(position - last, end - last);
      isKnown &&= position < 0 || end > object.size;
      return null;
    };
    const rotation = await readRotation({ size: object.size, read }, type);
    if (!isKnown) return NO_FACTS;
    return { ...NO_FACTS, ...(rotation % 180 === 90 ? { width: height, height: width } : { width, height }) };
  }
}

interface Range {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}
