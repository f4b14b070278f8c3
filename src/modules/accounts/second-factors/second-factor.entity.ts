import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { Sealed } from '../../../shared/secrets/index.js';

/** totp: an authenticator app (RFC 6238); recovery_codes: a set of codes for use once; passkey: a WebAuthn credential. */
export type SecondFactorKind = 'totp' | 'recovery_codes' | 'passkey';

/** The purpose under which SecretBoxService encrypts the secrets of authenticator apps. */
export const TOTP_SECRET = 'authenticator app';

/** Condition of the factors with which a person can sign in. */
export const ACTIVE = 'bound_at IS NOT NULL AND removed_at IS NULL';

/**
 * A second factor of a person. A removed factor keeps its row with its dates, without its secret. A person has at most one authenticator app, one set of
 * recovery codes, and several passkeys.
 */
@Entity('second_factors')
@Index('second_factors_single_key', ['userId', 'kind'], { unique: true, where: `kind <> 'passkey' AND ${ACTIVE}` })
@Index('second_factors_credential_id_key', ['credentialId'], { unique: true, where: 'removed_at IS NULL' })
@Index('second_factors_unbound_idx', ['createdAt'], { where: 'bound_at IS NULL' })
@Check('second_factors_kind_check', `kind IN ('totp', 'recovery_codes', 'passkey')`)
export class SecondFactor {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'second_factors_pkey' })
  id: number;

  @Index('second_factors_user_id_idx')
  @ForeignKey('users', { name: 'second_factors_user_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  userId: number;

  @Column('text')
  kind: SecondFactorKind;

  /** The name that the person gave a passkey; for other kinds a fixed text. */
  @Column('text')
  name: string;

  /** The sign-in or session in which an authenticator app is being enrolled, so that no other one sees its secret; null once it is bound. */
  @Column('text', { nullable: true })
  subject: string | null;

  /** The shared secret of an authenticator app, sealed: codes are computed from the plain text. Null for other kinds, and after the removal. */
  @Sealed(TOTP_SECRET)
  @Column('text', { nullable: true })
  sealedSecret: string | null;

  /** The latest time step (RFC 6238) whose code was used; codes of this step and of earlier ones are refused. */
  @Column('integer', { default: 0 })
  lastStep: number;

  /** The number of wrong codes since the last right one. */
  @Column('integer', { default: 0 })
  failures: number;

  /** The credential id of a passkey, base64url. */
  @Column('text', { nullable: true })
  credentialId: string | null;

  /** The COSE public key of a passkey, base64url. */
  @Column('text', { nullable: true })
  publicKey: string | null;

  /** The signature counter of a passkey (WebAuthn section 6.1.1); 0 for passkeys that do not count. */
  @Column('bigint', { default: 0, transformer: { from: Number, to: (counter: number) => counter } })
  counter: number;

  /** How browsers reach a passkey (WebAuthn section 5.8.4): `internal`, `usb`, and the like. */
  @Column('text', { array: true, default: [] })
  transports: string[];

  /** Whether a passkey may be copied to other devices of the person (backup eligible), so that its key is not bound to hardware. */
  @Column('boolean', { default: false })
  synced: boolean;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  /** When the person proved possession; null: the enrolment of an authenticator app is in progress. */
  @Column('timestamptz', { nullable: true })
  boundAt: Date | null;

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  removedAt: Date | null;

  /** Whether the factor was removed by a reset after a loss; the person then has to enrol anew. */
  @Column('boolean', { default: false })
  wasReset: boolean;
}
