import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PersonalText } from '../removal/index.js';
import { Sealed } from '../secrets/index.js';

/** Purposes of SecretBoxService. */
export const IDEMPOTENT_ANSWER = 'idempotent answer';
export const IDEMPOTENT_REQUEST = 'idempotent request';

/** A creating request that was made with an Idempotency-Key, and its answer, for a repetition of the request. */
@Entity('idempotency_keys')
export class IdempotencyKey {
  @ForeignKey('users', { name: 'idempotency_keys_user_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  userId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  key: string;

  /**
   * Of method, path and body, under a key of APP_SECRET, so that a copy of the database does not permit guessing the input. The same
   * Idempotency-Key with another request is refused.
   */
  @Column('text')
  fingerprint: string;

  @Column('smallint', { nullable: true })
  status: number | null;

  /** The JSON answer, sealed. After a change of APP_SECRET it keeps the key of the fingerprint too, which cannot be made anew. */
  @Sealed(IDEMPOTENT_ANSWER, { keepsMacKeyOf: IDEMPOTENT_REQUEST })
  @PersonalText()
  @Column('text', { nullable: true })
  response: string | null;

  @Index('idempotency_keys_created_at_idx')
  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
