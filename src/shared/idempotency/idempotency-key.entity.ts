import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OnErasure } from '../removal/index.js';
import { Sealed } from '../secrets/index.js';

/** Purposes of SecretBoxService. */
export const IDEMPOTENT_ANSWER = 'idempotent answer';
export const IDEMPOTENT_REQUEST = 'idempotent request';

/** A request with an Idempotency-Key and its response, which is sent again if the request is repeated. */
@Entity('idempotency_keys')
export class IdempotencyKey {
  @ForeignKey('users', { name: 'idempotency_keys_user_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  userId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  key: string;

  /**
   * A keyed hash of method, path and body under a key of APP_SECRET, so that a copy of the database does not permit guessing the input. The same
   * Idempotency-Key with another request is refused.
   */
  @Column('text')
  fingerprint: string;

  @Column('smallint', { nullable: true })
  status: number | null;

  /** The JSON response, sealed. After a change of APP_SECRET it also contains the key of the fingerprint, which cannot be recomputed. */
  @Sealed(IDEMPOTENT_ANSWER, { keepsMacKeyOf: IDEMPOTENT_REQUEST })
  @OnErasure('everywhere')
  @Column('text', { nullable: true })
  response: string | null;

  @Index('idempotency_keys_created_at_idx')
  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
