import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A counter of a rate limit, in the format of rate-limiter-flexible. The table is unlogged: a crash may clear it. */
@Entity('rate_limits')
export class RateLimitCount {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'rate_limits_pkey' })
  key: string;

  @Column('integer', { default: 0 })
  points: number;

  /** The end of the window, in Unix milliseconds. */
  @Index('rate_limits_expire_idx')
  @Column('bigint', { nullable: true })
  expire: string | null;
}
