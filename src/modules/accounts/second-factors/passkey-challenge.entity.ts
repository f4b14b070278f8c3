import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A WebAuthn challenge that no passkey has answered yet. */
@Entity('passkey_challenges')
export class PasskeyChallenge {
  /** base64url. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'passkey_challenges_pkey' })
  challenge: string;

  /** The sign-in or session to which the challenge belongs. */
  @Column('text')
  subject: string;

  @Index('passkey_challenges_expires_at_idx')
  @Column('timestamptz')
  expiresAt: Date;
}
