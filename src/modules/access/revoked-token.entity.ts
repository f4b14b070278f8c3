import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An access token that was revoked by itself (RFC 7009) while its authorization lives on. */
@Entity('revoked_tokens')
export class RevokedToken {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'revoked_tokens_pkey' })
  jti: string;

  @Index('revoked_tokens_expires_at_idx')
  @Column('timestamptz')
  expiresAt: Date;
}
