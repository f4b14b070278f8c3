import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * What the person with a mailed link may do: `reset`: choose a new password; `invitation`: enter a name and a first password; `email`: confirm a new
 * address; `not-me`: undo a change that another person made, and end every session; `factor-reset`: remove the second factors, together with the
 * password.
 */
export type LinkPurpose = 'reset' | 'invitation' | 'email' | 'not-me' | 'factor-reset';

/** A link in a mail to a user. It can be used once; only the hash of its token is stored. */
@Entity('account_links')
@Check('account_links_purpose_check', `purpose IN ('reset', 'invitation', 'email', 'not-me', 'factor-reset')`)
@Index('account_links_user_id_idx', ['userId', 'purpose'])
export class AccountLink {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'account_links_pkey' })
  id: string;

  /** SHA-256 of the token, in hexadecimal digits; 256 random bits need no slow hash. */
  @Index('account_links_token_hash_key', { unique: true })
  @Column('text')
  tokenHash: string;

  @ForeignKey('users', { name: 'account_links_user_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  userId: number;

  @Column('text')
  purpose: LinkPurpose;

  /** The address that the link was mailed to: `email` sets it, `not-me` restores it. Null for links of earlier versions. */
  @Column('text', { nullable: true })
  email: string | null;

  /** The second factor that the change of a notice bound, which `not-me` removes; null for other changes. */
  @Index('account_links_second_factor_id_idx')
  @ForeignKey('second_factors', { name: 'account_links_second_factor_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { nullable: true })
  secondFactorId: number | null;

  @Index('account_links_expires_at_idx')
  @Column('timestamptz')
  expiresAt: Date;

  /** When the link was used or withdrawn; null: it is still good until `expiresAt`. */
  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;

  /** Of a notice: when the change was made. */
  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
