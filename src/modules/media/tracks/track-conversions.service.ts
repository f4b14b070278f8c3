import { buffer } from 'node:stream/consumers';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { FairLimit } from '../../../shared/fairness/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { LimitedThread, ThreadLimitExceeded } from '../../../shared/threads/index.js';
import { mediaErrors } from '../media.errors.js';
import type { MediaItem } from '../media-item.entity.js';
import type { ConvertedTrack, TrackProblem } from './convert-text-track.js';
import { type TrackSource, webVttKey } from './web-vtt-key.js';

/** A hundred times the size of a film's subtitles; viewers load the whole file. */
export const MAX_TEXT_BYTES = 10_000_000;
/** Ten times what the longest file takes on a slow machine. */
const MAX_MS = 20_000;
/** The longest file takes half of it. */
const MAX_HEAP_MB = 256;
/** Escaped characters take up to five bytes; real subtitles hardly grow. */
const MAX_WEB_VTT_BYTES = 2 * MAX_TEXT_BYTES;

/** A text track whose file is converted. */
export type ConvertibleTrack = TrackSource & Pick<MediaItem, 's3Key'>;

/** The result of a conversion. */
export interface TrackConversion {
  /** The key of the stored WebVTT; null: the file cannot be read at all, or was to be converted without faults. */
  readonly webVttKey: string | null;
  readonly problem: TrackProblem | null;
}

/**
 * Converts the files of text tracks to WebVTT, once for each version, and stores the result as an object of its own. One thread converts them one
 * after the other, and customers take turns, so that none waits for more than one track of another.
 */
@Injectable()
export class TrackConversionsService implements OnApplicationShutdown {
  private readonly turns = new FairLimit(1);
  private readonly thread = new LimitedThread<Buffer, ConvertedTrack>(new URL('./convert-track.thread.js', import.meta.url), {
    maxMs: MAX_MS,
    maxHeapMb: MAX_HEAP_MB,
  });

  constructor(private readonly storage: ObjectStorage) {}

  /**
   * Converts a file. `lenient` stores the readable part of a file with problems, as for files that were accepted before the problem was one.
   * Throws `object_changed`, `storage_unavailable`.
   */
  async convert(track: ConvertibleTrack, { lenient }: { readonly lenient: boolean }): Promise<TrackConversion> {
    return await this.turns.run(String(track.customerId), async () => {
      const { text, problem } = await this.read(track);
      if (text === null || (problem && !lenient)) return { webVttKey: null, problem };
      const key = webVttKey(track);
      await this.storage.write(key, { file: Buffer.from(text), contentType: 'text/vtt; charset=utf-8' });
      return { webVttKey: key, problem };
    });
  }

  /** Deletes a stored WebVTT that was not recorded. */
  async discard(key: string): Promise<void> {
    await this.storage.delete(key);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread.end();
  }

  private async read({ s3Key, version, etag }: ConvertibleTrack): Promise<{ text: string | null; problem: TrackProblem | null }> {
    const found = await this.storage.read(s3Key, { version });
    if (found?.etag !== etag || found.size > MAX_TEXT_BYTES) {
      found?.body.destroy();
      if (found?.etag === etag) return { text: null, problem: tooLong(found.size) };
      throw mediaErrors.object_changed('The file was replaced while it was being read. Report the item again.');
    }
    try {
      const { text, problem } = await this.thread.run(await buffer(found.body));
      return text.length > MAX_WEB_VTT_BYTES ? { text: null, problem: tooLong(text.length) } : { text, problem };
    } catch (error) {
      if (!(error instanceof ThreadLimitExceeded)) throw error;
      return { text: null, problem: { line: 0, message: 'The file takes too long to read.' } };
    }
  }
}

const tooLong = (bytes: number): TrackProblem => ({
  line: 0,
  message: `The file has ${bytes} bytes; at most ${MAX_TEXT_BYTES} are allowed.`,
});
