import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { OnErasure } from '../../../shared/removal/index.js';

/** A session, interaction, code or refresh token of oidc-provider in its own format (`payload`), with the columns that are searched. */
@Entity('oidc_records')
export class OidcRecord {
  /** oidc-provider's name of the kind: Session, Interaction, AuthorizationCode, RefreshToken. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'oidc_records_pkey' })
  model: string;

  /** SHA-256 of the identifier, so that a stolen table gives no access. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'oidc_records_pkey' })
  id: string;

  @Index('oidc_records_grant_id_idx', { where: 'grant_id IS NOT NULL' })
  @Column('text', { nullable: true })
  grantId: string | null;

  /** The session's stable name, which, unlike its identifier, is not secret. */
  @Index('oidc_records_uid_idx', { where: 'uid IS NOT NULL' })
  @Column('text', { nullable: true })
  uid: string | null;

  @Index('oidc_records_account_idx', { where: 'account_id IS NOT NULL' })
  @Column('integer', { nullable: true })
  accountId: number | null;

  @OnErasure('everywhere')
  @Column('jsonb')
  payload: Record<string, unknown>;

  @Column('timestamptz', { nullable: true })
  consumedAt: Date | null;

  @Index('oidc_records_expires_at_idx')
  @Column('timestamptz')
  expiresAt: Date;
}
