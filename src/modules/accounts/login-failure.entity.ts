import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The number of wrong passwords for one account, address or dropsite, and the time until which further attempts are refused. */
@Entity('login_failures')
export class LoginFailure {
  /** `account:…`, `address:…` or `dropsite:…`; never an e-mail address in plain text. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'login_failures_pkey' })
  key: string;

  @Column('integer')
  failures: number;

  @Column('timestamptz')
  waitUntil: Date;

  /** The attempt that was admitted last; COUNT_LOGIN_ATTEMPT returns it, so that one statement shows whether the attempt was admitted. */
  @Column('uuid')
  admitted: string;

  @Index('login_failures_updated_at_idx')
  @Column('timestamptz')
  updatedAt: Date;
}
