import { buffer } from 'node:stream/consumers';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { FairLimit } from '../../../shared/fairness/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { LimitedThread, ThreadLimitExceeded } from '../../../shared/threads/index.js';
import { AcceptedObjectsService } from '../accepted-objects.service.js';
import type { MediaItem } from '../media-item.entity.js';
import type { TrackProblem } from './convert-text-track.js';
import type { EncodedTrack, TrackFile } from './convert-track.thread.js';
import { type TrackSource, webVttKey } from './web-vtt-key.js';

/** A hundred times the size of a film's subtitles; viewers load the whole file. */
export const MAX_TEXT_BYTES = 10_000_000;
/** Ten times what the longest file takes on a slow machine. */
const MAX_MS = 20_000;
/** Most tracks take some milliseconds. */
const MAX_WAITING = 200;
/** The longest file takes half of it. */
const MAX_HEAP_MB = 256;
/** Escaped characters take up to five bytes; real subtitles hardly grow. */
const MAX_WEB_VTT_BYTES = 2 * MAX_TEXT_BYTES;

/** A text track whose file is converted. */
export type ConvertibleTrack = TrackSource & Pick<MediaItem, 's3Key' | 'language'>;

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
  private readonly turns = new FairLimit({ slots: 1, maxWaiting: MAX_WAITING });
  private readonly thread = new LimitedThread<TrackFile, EncodedTrack>(new URL('./convert-track.thread.js', import.meta.url), {
    maxMs: MAX_MS,
    maxHeapMb: MAX_HEAP_MB,
  });

  constructor(
    private readonly storage: ObjectStorage,
    private readonly objects: AcceptedObjectsService,
  ) {}

  /**
   * Converts a file. `lenient` stores the readable part of a file with problems, as for files that were accepted before the problem was one.
   * Throws `object_changed`, `storage_unavailable`.
   */
  async convert(track: ConvertibleTrack, { lenient }: { readonly lenient: boolean }): Promise<TrackConversion> {
    return await this.turns.run(String(track.customerId), async () => {
      const { webVtt, problem } = await this.read(track);
      if (webVtt === null || (problem && !lenient)) return { webVttKey: null, problem };
      const key = webVttKey(track);
      await this.storage.write(key, { file: webVtt, contentType: 'text/vtt; charset=utf-8' });
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

  private async read(track: ConvertibleTrack): Promise<{ webVtt: Uint8Array | null; problem: TrackProblem | null }> {
    const found = await this.objects.read(track);
    if (!found || found.size > MAX_TEXT_BYTES) {
      found?.body.destroy();
      return { webVtt: null, problem: found ? tooLong('The file', found.size, MAX_TEXT_BYTES) : GONE };
    }
    try {
      const converted = await this.thread.run({ content: await buffer(found.body), language: track.language }, track.customerId);
      const { length } = converted.webVtt;
      return length > MAX_WEB_VTT_BYTES ? { webVtt: null, problem: tooLong('The file as WebVTT', length, MAX_WEB_VTT_BYTES) } : converted;
    } catch (error) {
      if (!(error instanceof ThreadLimitExceeded)) throw error;
      return { webVtt: null, problem: { line: 0, message: 'The file takes too long to read.' } };
    }
  }
}

const GONE: TrackProblem = { line: 0, message: 'The file no longer exists in the storage.' };

const tooLong = (what: string, bytes: number, max: number): TrackProblem => ({
  line: 0,
  message: `${what} has ${bytes} bytes; at most ${max} are allowed.`,
});
