import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** How often a password was wrong for one account, from one address or for one dropsite, and until when the next try has to wait. */
@Entity('login_failures')
export class LoginFailure {
  /** `account:…`, `address:…` or `dropsite:…`; never an e-mail address in clear. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'login_failures_pkey' })
  key: string;

  @Column('integer')
  failures: number;

  @Column('timestamptz')
  waitUntil: Date;

  /** The attempt that was admitted last, by which an attempt learns in one statement whether it was admitted. */
  @Column('uuid')
  admitted: string;

  @Index('login_failures_updated_at_idx')
  @Column('timestamptz')
  updatedAt: Date;
}
