import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { DomainError } from '../../../shared/errors.js';
import { AbandonableWork, FairLimit } from '../../../shared/fairness/index.js';
import { Log } from '../../../shared/logging/index.js';
import { mimeTypeOf } from '../../../shared/mime-type-of.js';
import { SeriesCounter, seriesByValue } from '../../../shared/series-counter.js';
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
import { type PictureFacts, PictureProgramsService, UnreadablePicture } from './picture-programs.service.js';

/** Sizes that one process makes at a time (contract section 13.4). */
const PLACES = 2;
/** The longest work on one size, with the transfers. Its claim ends a little later, so that a running process keeps it. */
const WORK_MS = 60_000;
const CLAIM_MS = WORK_MS + 10_000;
/** How often and how long a process looks whether another one has made a size. */
const POLL_MS = 150;
const MAX_POLLING_MS = 5_000;
/** Pictures and sizes that wait for a place; further ones are made for a later request. */
const MAX_WAITING = 1_000;
const NOT_READABLE = { readable: false, width: 0, height: 0, animated: false, transparent: false };

/** A size, and a function that chooses its file type when the picture is known. */
export interface WantedPicture {
  readonly size: WantedSize;
  readonly formatFor: (picture: Pick<PictureSource, 'animated' | 'transparent'>) => PictureFormat;
}

/** What is known about a picture, and whether it can be read. */
type KnownPicture = PictureFacts & Pick<PictureSource, 'readable'>;

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
export class PictureResizingService implements BeforeApplicationShutdown {
  private readonly places = new FairLimit({ slots: PLACES, maxWaiting: MAX_WAITING });
  /** What this process reads and makes, or waits for, so that simultaneous requests share it. */
  private readonly reading = new AbandonableWork<KnownPicture | null>();
  private readonly making = new AbandonableWork<ReadySize | null>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly pictures: PicturesRepository,
    private readonly programs: PictureProgramsService,
    private readonly storage: ObjectStorage,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Finds a size that is ready; null: it has not been made. Throws an UnreadablePicture. */
  async find(item: PictureItem, wanted: WantedPicture): Promise<ReadySize | null> {
    const picture = await this.pictures.findSource(item);
    return picture && (await this.findReady(item, planOf(picture, wanted)));
  }

  /**
   * Makes a size, or waits while another process makes it; null: it cannot be made now. The work continues if the caller stops waiting, unless all clients
   * that want it have disconnected before its turn. Throws an UnreadablePicture, and `object_changed`.
   */
  async make(item: PictureItem, wanted: WantedPicture): Promise<ReadySize | null> {
    const { id, etag, version } = item;
    const name = `${id} ${etag} ${version}`;
    try {
      const picture =
        (await this.pictures.findSource(item)) ?? (await this.reading.run(name, async (signal) => await this.read(item, signal)));
      if (!picture) return null;
      const plan = planOf(picture, wanted);
      return await this.making.run(
        `${name} ${plan.size.name} ${plan.format}`,
        async (signal) => await this.makeOrAwait(item, plan, signal),
      );
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unavailable') return null; // too many wait
      throw error;
    }
  }

  /** Runs before the connection pool closes, so that claims are released. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.reading.settled(), this.making.settled()]);
  }

  private async makeOrAwait(item: PictureItem, plan: Plan, abandoned: AbortSignal): Promise<ReadySize | null> {
    const made = await this.inTurn(item, abandoned, async (signal) => await this.makeOnce(item, plan, signal));
    if (made !== 'busy') return made;
    for (const until = performance.now() + MAX_POLLING_MS; performance.now() < until && !this.stopping.signal.aborted; ) {
      const ready = await this.findReady(item, plan);
      if (ready) return ready;
      await delay(POLL_MS);
    }
    return null;
  }

  /** Finds out what decides the file types of sizes, and records it. */
  private async read(item: PictureItem, abandoned: AbortSignal): Promise<KnownPicture | null> {
    const open = async (signal: AbortSignal) =>
      await this.programs.open(item, signal, async (picture) => await this.programs.examine(picture));
    const facts = knownFacts(item) ?? (await this.inTurn(item, abandoned, open));
    if (!facts) return null;
    const picture = { ...facts, readable: true };
    await this.pictures.recordSource(item, picture);
    return picture;
  }

  /** Runs work on a picture when it is the turn of its customer; null: it failed, or this machine cannot do it. */
  private async inTurn<Result>(
    item: PictureItem,
    abandoned: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result | null>,
  ): Promise<Result | null> {
    return await this.places.run(String(item.customerId), async () => await this.attempt(item, work), { signal: abandoned });
  }

  private async attempt<Result>(item: PictureItem, work: (signal: AbortSignal) => Promise<Result | null>): Promise<Result | null> {
    if (this.stopping.signal.aborted || !(await this.programs.isAvailable())) return null;
    try {
      return await work(AbortSignal.any([this.stopping.signal, AbortSignal.timeout(WORK_MS)]));
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

  private async makeOnce(item: PictureItem, { size, format }: Plan, signal: AbortSignal): Promise<ReadySize | null | 'busy'> {
    const s3Key = keyOf(item, size, format);
    const claim = { size, format, s3Key, expiresAt: new Date(this.clock.now().getTime() + CLAIM_MS) };
    const claimed = await this.pictures.claim(item, claim);
    if (claimed === 'busy') return (await this.findReady(item, { size, format })) ?? 'busy';
    if (claimed === 'refused') return null;
    let made: ReadySize | null = null;
    try {
      made = await this.programs.open(item, signal, async (picture) => {
        const file = await this.programs.resize(picture, size, format);
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

function planOf(picture: KnownPicture, { size, formatFor }: WantedPicture): Plan {
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
