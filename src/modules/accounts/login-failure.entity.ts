import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The number of wrong passwords or codes for one account, person, address or dropsite, and the time until which further attempts are refused. */
@Entity('login_failures')
export class LoginFailure {
  /** `account:…`, `address:…`, `dropsite:…`, and by user id `totp:…`, `recovery_codes:…` and `factor-alert:…`; never an e-mail address in plain text. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'login_failures_pkey' })
  key: string;

  @Column('integer')
  failures: number;

  @Column('timestamptz')
  waitUntil: Date;

  /** The attempt that was admitted last; the statement of `countAttempt` returns it, which shows whether the attempt was admitted. */
  @Column('uuid')
  admitted: string;

  @Index('login_failures_updated_at_idx')
  @Column('timestamptz')
  updatedAt: Date;
}
