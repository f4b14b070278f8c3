import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A counter of a rate limit, in the shape that rate-limiter-flexible keeps. The table is unlogged: a crash may forget it. */
@Entity('rate_limits')
export class RateLimitCount {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'rate_limits_pkey' })
  key: string;

  @Column('integer', { default: 0 })
  points: number;

  /** When the window ends, unix milliseconds. */
  @Index('rate_limits_expire_idx')
  @Column('bigint', { nullable: true })
  expire: string | null;
}
