import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An access token that was revoked individually (RFC 7009), while its authorization remains valid. */
@Entity('revoked_tokens')
export class RevokedToken {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'revoked_tokens_pkey' })
  jti: string;

  @Index('revoked_tokens_expires_at_idx')
  @Column('timestamptz')
  expiresAt: Date;
}
