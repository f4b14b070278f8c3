import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Database, Notifications } from '../../../shared/database/index.js';
import type { DomainError } from '../../../shared/errors.js';
import { currentEventDepth, currentRootEvent } from '../../../shared/events/index.js';
import { QuotasService } from '../../../shared/quotas/index.js';
import { ActivitiesRepository } from '../../activity/index.js';
import { type Format, isLongWork, requirementsOfFormat, type VisibleFormats } from '../../formats/index.js';
import type { ContainerType } from '../../media/index.js';
import { PRIORITIES } from './transcoding.entity.js';
import { TranscodingCompletionService } from './transcoding-completion.service.js';
import { transcodingEndErrors } from './transcodings.errors.js';
import { type NewTranscoding, type QueuedTranscoding, TranscodingsRepository } from './transcodings.repository.js';
import { READY, TRANSCODINGS_CHANNEL } from './transcodings-channel.js';

const QUOTA = 'waitingTranscodings';

/** Rows that are prepared at once. This takes a few milliseconds, so that other requests are not delayed. */
const MAX_INSERTED = 500;

/** The result of adding the transcodings of many sources. */
interface EnqueuedSources {
  /** The number of sources, from the first, whose transcodings are in the queue. */
  readonly added: number;
  /** Why the others are not in the queue; null: all of them are. */
  readonly refusal: DomainError | null;
}

/** The original of which formats are made. */
export interface TranscodingSource {
  readonly customerId: number;
  /** The type of the container. */
  readonly type: ContainerType;
  readonly mediaContainerId: number;
  /** The media item of the original. */
  readonly sourceMediaId: number;
}

/** Adds transcodings to the queue and cancels them. TranscodingWorker makes the renditions. */
@Injectable()
export class TranscodingQueueService {
  constructor(
    private readonly activities: ActivitiesRepository,
    private readonly clock: Clock,
    private readonly completion: TranscodingCompletionService,
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly quotas: QuotasService,
    private readonly transcodings: TranscodingsRepository,
  ) {
    quotas.countBy(QUOTA, async (customerId, atMost) => await this.transcodings.countUpTo(customerId, atMost));
  }

  /**
   * Adds transcodings to the queue, in the ambient transaction. Returns one for each pair of source and format: a new one, or the one that has not
   * ended yet. Throws `quota_exceeded`.
   */
  async enqueue(wanted: readonly NewTranscoding[]): Promise<QueuedTranscoding[]> {
    if (wanted.length === 0) return [];
    return await this.database.transaction(async () => {
      for (const [customerId, amount] of countByCustomer(wanted)) await this.quotas.reserve(customerId, QUOTA, amount);
      return await this.insert(wanted);
    });
  }

  /**
   * Adds the same renditions for many sources of one customer: all renditions of each source, for as many sources as the quota permits. Returns the
   * number of sources, and why there are not more.
   */
  async enqueueOfMany(
    customerId: number,
    sources: readonly TranscodingSource[],
    renditions: readonly RenditionRequest[],
  ): Promise<EnqueuedSources> {
    return await this.database.transaction(async () => {
      const room = await this.quotas.room(customerId, QUOTA, sources.length * renditions.length);
      const added = Math.min(sources.length, Math.floor(room / renditions.length));
      // One statement adds all transcodings of a source and locks existing rows in a fixed order, so that concurrent requests for it cannot deadlock.
      const atOnce = Math.ceil(MAX_INSERTED / renditions.length);
      for (let start = 0; start < added; start += atOnce) {
        const some = sources.slice(start, Math.min(start + atOnce, added));
        await this.insert(some.flatMap((source) => renditions.map((rendition) => toNewTranscoding(source, rendition))));
      }
      return { added, refusal: added < sources.length ? await this.quotas.refusal(customerId, QUOTA) : null };
    });
  }

  private async insert(wanted: readonly NewTranscoding[]): Promise<QueuedTranscoding[]> {
    const byId = new Map(wanted.map((transcoding) => [timeOrderedId(this.clock.now()), transcoding]));
    const queued = await this.transcodings.enqueue(byId, { depth: currentEventDepth(), rootEventId: currentRootEvent() });
    const added = queued.flatMap(({ jobId }) => {
      const transcoding = byId.get(jobId); // absent: it was in the queue before
      return transcoding ? [toActivity(jobId, transcoding)] : [];
    });
    if (added.length > 0) {
      await this.activities.startMany(added);
      await this.notifications.notify(TRANSCODINGS_CHANNEL, READY);
    }
    return queued;
  }

  /** Adds transcodings of one customer that start automatically. Those that exceed the quota are recorded as failed; it does not throw. */
  async enqueueWithinQuota(wanted: readonly NewTranscoding[]): Promise<void> {
    const [first] = wanted;
    if (!first) return;
    await this.database.transaction(async () => {
      const room = await this.quotas.room(first.customerId, QUOTA, wanted.length);
      await this.enqueue(wanted.slice(0, room));
      if (room === wanted.length) return;
      const { code, detail: message } = await this.quotas.refusal(first.customerId, QUOTA);
      const refused = wanted.slice(room).map((transcoding) => toActivity(timeOrderedId(this.clock.now()), transcoding));
      await this.activities.startMany(refused);
      for (const { id } of refused) await this.activities.finish(id, { code, message });
    });
  }

  /** Cancels a waiting or running transcoding of the customer; false: it had ended. */
  async cancel(customerId: number, id: string): Promise<boolean> {
    return await this.database.transaction(async () => {
      const cancelled = await this.transcodings.deleteForCustomer(customerId, id);
      if (cancelled) await this.completion.recordDeleted([cancelled], transcodingEndErrors.cancelled('It was cancelled.'));
      return cancelled !== null;
    });
  }
}

/** A format to make, independently of the original. */
export type RenditionRequest = Pick<NewTranscoding, 'formatId' | 'programs' | 'priority'> & {
  /** Whether it is long work to make it of containers of a type. */
  readonly isLongOf: (type: ContainerType) => boolean;
};

/** The request for a format: the programs that it needs, and its queue. */
export const renditionRequestOf = (format: Format, visible: VisibleFormats): RenditionRequest => ({
  formatId: format.id,
  programs: requirementsOfFormat(format, visible),
  priority: PRIORITIES[format.usage],
  isLongOf: (type) => isLongWork(format, visible, type),
});

/** The transcoding that makes a requested format from an original. */
export const toNewTranscoding = ({ type, ...source }: TranscodingSource, { isLongOf, ...rendition }: RenditionRequest): NewTranscoding => ({
  ...source,
  ...rendition,
  isLong: isLongOf(type),
});

/** The transcoding that makes a format from an original. */
export const newTranscodingOf = (source: TranscodingSource, format: Format, visible: VisibleFormats): NewTranscoding =>
  toNewTranscoding(source, renditionRequestOf(format, visible));

/** A UUID of version 7 (RFC 9562 section 5.7): ids that are created in different milliseconds sort by time. */
export function timeOrderedId(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0');
  const random = randomBytes(10);
  random[0] = 0x70 | ((random[0] ?? 0) & 0x0f);
  random[2] = 0x80 | ((random[2] ?? 0) & 0x3f);
  const digits = time + random.toString('hex');
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join('-');
}

const toActivity = (id: string, { customerId, mediaContainerId, formatId }: NewTranscoding) => ({
  ...{ id, customerId, clientId: null, mediaContainerId, formatId },
  type: 'transcoding' as const,
});

function countByCustomer(wanted: readonly NewTranscoding[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { customerId } of wanted) counts.set(customerId, (counts.get(customerId) ?? 0) + 1);
  return counts;
}
