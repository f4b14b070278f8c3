import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { readFilmHeader } from '../../shared/film-header.js';
import { detectImageType, readImageHeader } from '../../shared/picture-header.js';
import { ObjectStorage, type StoredObject } from '../../shared/storage/index.js';
import { readSvgSize } from '../../shared/svg-size.js';
import { type MediaFacts, NO_FACTS } from './file-description.js';
import type { MediaItem } from './media-item.entity.js';

/** Enough for the profiles and previews before the size of a picture. */
const FIRST_BYTES = 262_144;
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
    return pictureFacts(head) ?? { ...NO_FACTS, ...(item.type === 'video' ? readFilmHeader(head) : readSvgSize(head.toString())) };
  }

  /** Reads a poster, which must be a picture that browsers show; null: it is not. Throws `storage_unavailable`. */
  async readPoster(item: Pick<MediaItem, 's3Key'>, object: StoredObject): Promise<MediaFacts | null> {
    const head = object.size < MIN_BYTES ? null : await this.readHead(item, object);
    return head && SHOWN_TYPES.has(detectImageType(head) ?? '') ? pictureFacts(head) : null;
  }

  /** Returns null if the object is no longer the one that was reported. */
  private async readHead({ s3Key }: Pick<MediaItem, 's3Key'>, { size, version, etag }: StoredObject): Promise<Buffer | null> {
    const found = await this.storage.read(s3Key, { range: { start: 0, end: Math.min(size, FIRST_BYTES) - 1 }, version });
    const head = found && (await buffer(found.body));
    return head && found.etag === etag ? head : null;
  }
}

function pictureFacts(head: Buffer): MediaFacts | null {
  const picture = readImageHeader(head);
  if (!picture || Math.max(picture.width, picture.height) > MAX_SIDE) return null;
  const { width, height, orientation } = picture;
  return { ...NO_FACTS, ...(orientation > 4 ? { width: height, height: width } : { width, height }) };
}
