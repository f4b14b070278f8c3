import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { SeriesCounter, seriesByValue } from '../../../shared/counters.js';
import { DomainError } from '../../../shared/errors.js';
import { FairLimit } from '../../../shared/fairness/index.js';
import { Log } from '../../../shared/logging/index.js';
import { mimeTypeOf } from '../../../shared/mime-type-of.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { largestResult, type PictureFormat } from '../../formats/index.js';
import {
  chooseLadderSize,
  type LadderSize,
  type PictureItem,
  type PictureSource,
  PicturesRepository,
  RENDITIONS_PREFIX,
  type ReadySize,
  type WantedSize,
} from '../../media/index.js';
import { type PictureFacts, PictureMakerService, UnreadablePicture } from './picture-maker.service.js';

/** Sizes that one process makes at a time (contract section 13.4). */
const PLACES = 2;
/** The longest work on one size, with the transfers. Its claim ends a little later, so that a running process keeps it. */
const WORK_MS = 60_000;
const CLAIM_MS = WORK_MS + 10_000;
/** How often and how long a process looks whether another one has made a size. */
const POLL_MS = 150;
const MAX_POLLING_MS = 5_000;
/** Sizes that wait for a place; further ones are made for a later request. */
const MAX_WAITING = 1_000;
const NOT_READABLE = { readable: false, width: 0, height: 0, animated: false, transparent: false };

/** A size, and a function that chooses its file type when the picture is known. */
export interface PictureWish {
  readonly size: WantedSize;
  readonly formatFor: (picture: Pick<PictureSource, 'animated' | 'transparent'>) => PictureFormat;
  /** Identifies the wish among those for the same picture. */
  readonly name: string;
}

/** A size that this process makes. */
interface Plan {
  readonly size: LadderSize;
  readonly format: PictureFormat;
}

const counts = seriesByValue(
  new SeriesCounter({
    name: 'picture_sizes_total',
    help: 'Sizes of pictures that the process made, pictures that it could not read, and attempts that failed for another reason.',
    labels: ['outcome'],
  }),
  'outcome',
  ['made', 'unreadable', 'failed'],
);

/** Makes pictures in the sizes that viewers ask for, each once for all processes. */
@Injectable()
export class PictureSizesService implements BeforeApplicationShutdown {
  private readonly places = new FairLimit(PLACES);
  /** What this process makes or waits for, so that simultaneous requests share it. */
  private readonly underway = new Map<string, Promise<ReadySize | null>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly pictures: PicturesRepository,
    private readonly maker: PictureMakerService,
    private readonly storage: ObjectStorage,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Finds a size that is ready; null: it has not been made. Throws an UnreadablePicture. */
  async find(item: PictureItem, wish: PictureWish): Promise<ReadySize | null> {
    const picture = await this.pictures.findSource(item);
    return picture && (await this.findReady(item, planOf(picture, wish)));
  }

  /**
   * Makes a size, or waits while another process makes it; null: it cannot be made now. The work continues if the caller stops waiting. Throws an
   * UnreadablePicture, and `object_changed`.
   */
  async make(item: PictureItem, wish: PictureWish): Promise<ReadySize | null> {
    const key = `${item.id} ${item.etag} ${item.version} ${wish.name}`;
    const known = this.underway.get(key);
    if (known) return await known;
    if (this.underway.size >= MAX_WAITING) return null;
    const made = this.makeOrAwait(item, wish).finally(() => this.underway.delete(key));
    this.underway.set(key, made);
    return await made;
  }

  /** Runs before the connection pool closes, so that claims are released. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.allSettled(this.underway.values());
  }

  private async makeOrAwait(item: PictureItem, wish: PictureWish): Promise<ReadySize | null> {
    const made = await this.places.run(String(item.customerId), async () => await this.attempt(item, wish));
    if (made !== 'busy') return made;
    for (const until = performance.now() + MAX_POLLING_MS; performance.now() < until && !this.stopping.signal.aborted; ) {
      const ready = await this.find(item, wish);
      if (ready) return ready;
      await delay(POLL_MS);
    }
    return null;
  }

  /** `busy`: another process makes the size. */
  private async attempt(item: PictureItem, wish: PictureWish): Promise<ReadySize | null | 'busy'> {
    if (this.stopping.signal.aborted || !(await this.maker.isAvailable())) return null;
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(WORK_MS)]);
    try {
      const picture = (await this.pictures.findSource(item)) ?? (await this.examine(item, signal));
      return picture && (await this.makeOnce(item, planOf(picture, wish), signal));
    } catch (error) {
      if (error instanceof UnreadablePicture) {
        counts.unreadable.count += 1;
        await this.pictures.recordSource(item, NOT_READABLE);
        throw error;
      }
      if (error instanceof DomainError && error.code === 'object_changed') throw error;
      if (this.stopping.signal.aborted) return null;
      counts.failed.count += 1;
      this.log.warn({ err: error, mediaId: item.id }, 'a picture could not be made in another size; a later request tries again');
      return null;
    }
  }

  private async examine(item: PictureItem, signal: AbortSignal): Promise<(PictureFacts & { readonly readable: boolean }) | null> {
    const facts = knownFacts(item) ?? (await this.maker.open(item, signal, async (picture) => await this.maker.examine(picture)));
    if (!facts) return null;
    const picture = { ...facts, readable: true };
    await this.pictures.recordSource(item, picture);
    return picture;
  }

  private async makeOnce(item: PictureItem, { size, format }: Plan, signal: AbortSignal): Promise<ReadySize | null | 'busy'> {
    const s3Key = keyOf(item, size, format);
    const claim = { size, format, s3Key, expiresAt: new Date(this.clock.now().getTime() + CLAIM_MS) };
    const claimed = await this.pictures.claim(item, claim);
    if (claimed === 'busy') return (await this.findReady(item, { size, format })) ?? 'busy';
    if (claimed === 'refused') return null;
    let made: ReadySize | null = null;
    try {
      made = await this.maker.open(item, signal, async (picture) => {
        const file = await this.maker.resize(picture, size, format);
        return await this.store(s3Key, { size, format, file, signal });
      });
      return made;
    } finally {
      if (!made) await this.pictures.release(s3Key);
    }
  }

  /** Null: the claim was lost, because the picture was removed. */
  private async store(
    s3Key: string,
    { size, format, file, signal }: Plan & { file: string; signal: AbortSignal },
  ): Promise<ReadySize | null> {
    const object = await this.storage.write(s3Key, { file, contentType: mimeTypeOf(extensionOf(format)), signal });
    signal.throwIfAborted();
    if (!(await this.pictures.markReady(s3Key, object))) {
      await this.storage.delete(s3Key);
      return null;
    }
    counts.made.count += 1;
    const { name, width, height } = size;
    return { name, width, height, format, s3Key, fileSize: object.size, etag: object.etag, version: object.version };
  }

  private async findReady(item: PictureItem, { size, format }: Plan): Promise<ReadySize | null> {
    return (await this.pictures.findReady(item, { name: size.name, format }))[0] ?? null;
  }
}

/** The file extension of a size. */
export const extensionOf = (format: string): string => (format === 'jpeg' ? 'jpg' : format);

function planOf(picture: PictureFacts & { readonly readable: boolean }, { size, formatFor }: PictureWish): Plan {
  if (!picture.readable) throw new UnreadablePicture('The picture cannot be read.');
  const format = formatFor(picture);
  return { size: chooseLadderSize(largestResult(picture, format), size), format };
}

/** A JPEG whose size is known is neither animated nor transparent, so it need not be fetched before it is claimed. */
function knownFacts({ fileExtension, width, height }: PictureItem): PictureFacts | null {
  const isJpeg = fileExtension === 'jpg' || fileExtension === 'jpeg';
  return isJpeg && width && height ? { width, height, animated: false, transparent: false } : null;
}

/** A key of the claim, beside the renditions of the container. */
const keyOf = ({ id, customerId, mediaContainerId }: PictureItem, { name }: LadderSize, format: PictureFormat): string =>
  `${RENDITIONS_PREFIX}${customerId}/${mediaContainerId}/sizes/${id}/${name}-${randomUUID()}.${extensionOf(format)}`;
