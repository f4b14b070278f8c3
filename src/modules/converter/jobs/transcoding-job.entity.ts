import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** Previews and thumbnails have a line of their own, which is served first most of the time (JobLeases.claim). */
export const PRIORITIES = { preview: 0, transcoding: 1 } as const;

/**
 * A rendition that is to be made. The row goes when the job ends; what became of it stands in the activity of the same id. Media and format
 * may be gone by the time its turn comes, so nothing refers to them but ids.
 */
@Entity('transcoding_jobs')
@Unique('transcoding_jobs_source_media_id_format_id_key', ['sourceMediaId', 'formatId'])
@Index('transcoding_jobs_ready_idx', ['priority', 'turn', 'id'], { where: `state = 'ready'` })
@Index('transcoding_jobs_running_idx', ['lockedBy'], { where: `state = 'running'` })
@Index('transcoding_jobs_customer_id_idx', ['customerId', 'priority', 'turn'])
@Check('transcoding_jobs_state_check', `state IN ('ready', 'running')`)
@Check('transcoding_jobs_holder_check', `(state = 'running') = (locked_by IS NOT NULL)`)
export class TranscodingJob {
  /** The jobId, that of its activity. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'transcoding_jobs_pkey' })
  id: string;

  @ForeignKey('customers', { name: 'transcoding_jobs_customer_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  customerId: number;

  @Index('transcoding_jobs_media_container_id_idx')
  @Column('integer')
  mediaContainerId: number;

  /** The original of which it is made. */
  @Column('integer')
  sourceMediaId: number;

  @Index('transcoding_jobs_format_id_idx')
  @Column('integer')
  formatId: number;

  /** The programs it needs (programsOf): only workers that have all of them take it. */
  @Column('text', { array: true })
  programs: string[];

  /** The line it stands in (PRIORITIES). */
  @Column('smallint')
  priority: number;

  /** Its place in the line of its priority: jobs of a customer stand one turn apart, so that customers take turns. */
  @Column('bigint')
  turn: string;

  @Column('text', { default: 'ready' })
  state: 'ready' | 'running';

  /** Not before then; later than now after a failure that may pass. */
  @Column('timestamptz')
  readyAt: Date;

  /** How many times it was taken. It fences: whoever took an earlier one changes nothing any more. */
  @Column('integer', { default: 0 })
  attempt: number;

  /** Tries that were lost by what may pass: a storage that is away, a worker that died. */
  @Column('integer', { default: 0 })
  failures: number;

  /** The worker that has it; null: none. */
  @Column('text', { nullable: true })
  lockedBy: string | null;

  /** When that worker last showed that it goes on. */
  @Column('timestamptz', { nullable: true })
  heartbeatAt: Date | null;

  /** How many events led to it. */
  @Column('integer', { default: 0 })
  depth: number;

  /** The event with which the chain began that led to it; null: there was none. */
  @Column('bigint', { nullable: true })
  rootEventId: string | null;
}
