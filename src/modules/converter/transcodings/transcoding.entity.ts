import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** Previews and thumbnails have a queue of their own, which is served first most of the time (TranscodingsRepository.claim). */
export const PRIORITIES = { preview: 0, transcoding: 1 } as const;

/**
 * A rendition to make. The row is deleted when the transcoding ends; the activity with the same id keeps the result. Media and format may have been
 * removed before its turn, so the row refers to them by plain ids without foreign keys.
 */
@Entity('transcoding_jobs')
@Unique('transcoding_jobs_source_media_id_format_id_key', ['sourceMediaId', 'formatId'])
@Index('transcoding_jobs_ready_idx', ['priority', 'turn', 'id'], { where: `state = 'ready'` })
@Index('transcoding_jobs_running_idx', ['lockedBy'], { where: `state = 'running'` })
@Index('transcoding_jobs_places_idx', ['isLong', 'priority', 'turn', 'id'], { where: `state = 'ready'` })
@Index('transcoding_jobs_customer_id_idx', ['customerId', 'isLong', 'priority', 'turn'])
@Check('transcoding_jobs_state_check', `state IN ('ready', 'running')`)
@Check('transcoding_jobs_holder_check', `(state = 'running') = (locked_by IS NOT NULL)`)
export class Transcoding {
  /** The id, which is also that of its activity; the API calls it jobId. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'transcoding_jobs_pkey' })
  id: string;

  @ForeignKey('customers', { name: 'transcoding_jobs_customer_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  customerId: number;

  @Index('transcoding_jobs_media_container_id_idx')
  @Column('integer')
  mediaContainerId: number;

  /** The media item of the original. */
  @Column('integer')
  sourceMediaId: number;

  @Index('transcoding_jobs_format_id_idx')
  @Column('integer')
  formatId: number;

  /** The programs it needs: only workers that have all of them claim it. */
  @Column('text', { array: true })
  programs: string[];

  /** The queue it is in (PRIORITIES). */
  @Column('smallint')
  priority: number;

  /** Whether it is long work, which has places of its own (ConverterDescriptor.isLong). */
  @Column('boolean', { default: false })
  isLong: boolean;

  /** Seconds that it is expected to take; null: a worker has not determined it, or had no reason to. */
  @Column('integer', { nullable: true })
  expectedSeconds: number | null;

  /** Its place in the queue of its kind and priority: transcodings of a customer are one turn apart, so that customers alternate. */
  @Column('bigint')
  turn: string;

  @Column('text', { default: 'ready' })
  state: 'ready' | 'running';

  /** The earliest time of the next attempt; in the future after a temporary failure. */
  @Column('timestamptz')
  readyAt: Date;

  /** How many times it was claimed. A worker with an earlier claim can no longer change anything. */
  @Column('integer', { default: 0 })
  attempt: number;

  /** Attempts that ended with a temporary failure: a storage that is down, a worker that died. */
  @Column('integer', { default: 0 })
  failures: number;

  /** The worker that has claimed it; null: it is waiting. */
  @Column('text', { nullable: true })
  lockedBy: string | null;

  /** When that worker last renewed its claim. */
  @Column('timestamptz', { nullable: true })
  heartbeatAt: Date | null;

  /** The number of events, each the cause of the next, that led to it. */
  @Column('integer', { default: 0 })
  depth: number;

  /** The first event of the chain that led to it; null: no event led to it. */
  @Column('bigint', { nullable: true })
  rootEventId: string | null;

  /** The step of a trace that requested it (W3C Trace Context); null: nothing was traced. */
  @Column('text', { nullable: true })
  traceparent: string | null;
}
