import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
  VersionColumn,
} from 'typeorm';

/**
 * person: signs in; service: acts for a client application (client credentials); sender: a person who uploads to a dropsite with an unverified
 * address, and therefore has access to nothing else.
 */
export type UserKind = 'person' | 'service' | 'sender';

/** The lowest admin level that may administer the customer. */
export const ADMINISTRATOR_LEVEL = 9;

/** The lowest admin level of the operator's users that may administer every customer. */
export const OPERATOR_LEVEL = 100;

/** Condition of every look-up by e-mail address and of its index: the address of a sender is not verified. */
export const NOT_SENDER = `kind <> 'sender'`;

/**
 * A user of a customer. E-mail addresses are stored in lower case. They are unique among all persons and services, and separately among the
 * senders of each customer.
 */
@Entity('users')
@Index('users_email_key', ['email'], { unique: true, where: NOT_SENDER })
@Index('users_sender_email_key', ['email', 'customerId'], { unique: true, where: `kind = 'sender'` })
@Check('users_kind_check', `kind IN ('person', 'service', 'sender')`)
@Check('users_email_lower_check', 'email = lower(email)')
export class User {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'users_pkey' })
  id: number;

  @Index('users_customer_id_idx')
  @ForeignKey('customers', { name: 'users_customer_id_fkey', onDelete: 'RESTRICT' })
  @Column('integer')
  customerId: number;

  @Column('text')
  email: string;

  @Column('text', { default: 'person' })
  kind: UserKind;

  @Column('text', { default: '' })
  firstname: string;

  @Column('text', { default: '' })
  lastname: string;

  /** argon2id in PHC format; null: this user has no password and cannot sign in with one. */
  @Column('text', { nullable: true })
  passwordHash: string | null;

  /** 0 for regular users, higher for administrators. */
  @Column('integer', { default: 0 })
  adminLevel: number;

  /** The language of mails to the user and of its pages (`en` or `de`), as its browser asked for it at the last sign-in; null: unknown. */
  @Column('text', { nullable: true })
  language: string | null;

  /** Whether the person must have a second factor to sign in with a password, whatever the customer requires. */
  @Column('boolean', { default: false })
  requireSecondFactor: boolean;

  /** When the user was disabled, which ended sessions, tokens and authorizations. Null: the user is active. */
  @Column('timestamptz', { nullable: true })
  disabledAt: Date | null;

  /** When an administrator last changed the address; notices of changes until then undo nothing by themselves. Null: never. */
  @Column('timestamptz', { nullable: true })
  emailAssignedAt: Date | null;

  /** When a notice about the address that an administrator assigned was answered with "this was not me"; null: never, or it was settled. */
  @Column('timestamptz', { nullable: true })
  emailDisputedAt: Date | null;

  /** When an administrator last ended all sessions; links of mails that were requested until then are no longer good. Null: never. */
  @Column('timestamptz', { nullable: true })
  linksWithdrawnAt: Date | null;

  /** When a password was last chosen with a mailed link; for the removal of factors that were added before, it proves no more than the mailbox. */
  @Column('timestamptz', { nullable: true })
  passwordResetAt: Date | null;

  /** The version, which every change increments; the ETag contains it. */
  @VersionColumn({ default: 1 })
  version: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;
}
