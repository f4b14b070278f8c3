import { Injectable } from '@nestjs/common';
import { currentEventDepth, currentRootEvent } from '../events/event-depth.js';
import { currentTraceparent } from '../tracing/spans.js';
import { JobsRepository } from './jobs.repository.js';

const DEFAULT_ATTEMPTS = 25; // the default of graphile-worker: about three days with growing delays

/** For jobs that must be retried however long the storage is unavailable: with six hours between attempts, almost seven years. */
export const UNTIL_DONE = 10_000;

export type JobHandler<Payload> = (payload: Payload) => Promise<void>;

export interface JobOptions {
  /** Jobs of one queue run one after another, on any machine. */
  readonly queue?: string;
  /** Replaces a waiting job with the same key; with `keepsExisting`, is not added while there is one, be it running. */
  readonly key?: string;
  readonly keepsExisting?: boolean;
  readonly runAt?: Date;
  readonly maxAttempts?: number;
  /** Whether it runs before the other jobs that are due. */
  readonly isUrgent?: boolean;
}

/** Background jobs in PostgreSQL (graphile-worker). A job that is added in a transaction exists only if the transaction commits. */
@Injectable()
export class JobsService {
  readonly handlers = new Map<string, JobHandler<never>>();

  /** Scheduled tasks: name → cron expression (UTC). */
  readonly schedules = new Map<string, string>();

  constructor(private readonly repository: JobsRepository) {}

  /** Registers the handler of a task; register before the application starts. */
  handle<Payload>(task: string, handler: JobHandler<Payload>): void {
    this.handlers.set(task, handler as JobHandler<never>);
  }

  /** Schedules a task, once for all processes together; each new job replaces one that is still waiting or has failed. */
  schedule(task: string, cron: string): void {
    this.schedules.set(task, cron);
  }

  /**
   * Adds a job. It runs at the current event depth, so that events that it publishes belong to the same chain, and continues the current trace.
   */
  async add(
    task: string,
    payload: object,
    { queue = null, key = null, runAt = null, maxAttempts, keepsExisting, isUrgent }: Nullable<JobOptions> = {},
  ): Promise<void> {
    const job = {
      task,
      payload: withOrigin(payload),
      queue,
      runAt,
      maxAttempts: maxAttempts ?? DEFAULT_ATTEMPTS,
      key,
      keepsExisting: keepsExisting ?? false,
      isUrgent: isUrgent ?? false,
    };
    await this.repository.add(job);
  }

  /** Removes the jobs of a queue that are not running. */
  async removeWaiting(queue: string): Promise<void> {
    await this.repository.removeWaiting(queue);
  }
}

const DEPTH = '$eventDepth';
const ROOT = '$rootEvent';
const TRACE = '$traceparent';

/** What `add` stores with the payload of a job: the events that led to it, and the trace that it continues. */
interface StoredJob {
  readonly depth: number;
  readonly rootEventId: string | null;
  readonly traceparent: string | null;
  readonly payload: unknown;
}

function withOrigin(payload: object): object {
  const [depth, traceparent] = [currentEventDepth(), currentTraceparent()];
  return {
    ...payload,
    ...(depth > 0 && { [DEPTH]: depth, [ROOT]: currentRootEvent() }),
    ...(traceparent !== null && { [TRACE]: traceparent }),
  };
}

/** Separates the payload of a job from what `add` stored with it. */
export function readStoredJob(stored: unknown): StoredJob {
  const { [DEPTH]: depth, [ROOT]: root, [TRACE]: trace, ...payload } = (stored ?? {}) as Record<string, unknown>;
  const [rootEventId, traceparent] = [textOrNull(root), textOrNull(trace)];
  if (typeof depth === 'number') return { depth, rootEventId, traceparent, payload };
  return { depth: 0, rootEventId: null, traceparent, payload: trace === undefined ? stored : payload };
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null };
