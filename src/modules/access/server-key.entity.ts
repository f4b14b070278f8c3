import { Check, Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { Sealed } from '../../shared/secrets/index.js';

/** Purpose of SecretBoxService. */
export const SERVER_KEY = 'server keys';

/** A key of the service: `signing` for tokens (EC P-256), `cookie` for cookie signatures. The newest of a purpose is used, older ones verify. */
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

  /** Set by the rotation that replaced it; it is deleted when nothing signed with it can be valid any more. */
  @Column('timestamptz', { nullable: true })
  retiredAt: Date | null;
}
