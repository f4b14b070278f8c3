import { Check, Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { Sealed } from '../../shared/secrets/index.js';

/** The purpose under which SecretBoxService encrypts the keys. */
export const SERVER_KEY = 'server keys';

/** A key of the service: `signing` for tokens (EC P-256), `cookie` for cookie signatures. The newest key signs, older ones only verify. */
@Entity('server_keys')
@Check('server_keys_purpose_check', `purpose IN ('signing', 'cookie')`)
export class ServerKey {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'server_keys_pkey' })
  id: string;

  @Column('text')
  purpose: 'signing' | 'cookie';

  /** A private JWK or a random text, encrypted with APP_SECRET. */
  @Sealed(SERVER_KEY)
  @Column('text')
  sealed: string;

  @CreateDateColumn({ type: 'timestamptz', default: () => 'clock_timestamp()' })
  createdAt: Date;

  /** When a rotation replaced it; it is deleted as soon as nothing signed with it can be valid. */
  @Column('timestamptz', { nullable: true })
  retiredAt: Date | null;
}
