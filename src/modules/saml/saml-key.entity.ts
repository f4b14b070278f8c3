import { Check, Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { Sealed } from '../../shared/secrets/index.js';

/** The purpose under which SecretBoxService encrypts the private key. */
export const SAML_PRIVATE_KEY = 'saml key';

/** The key that signs AuthnRequests. It is created once and is the only row, because identity providers store its certificate. */
@Entity('saml_keys')
@Check('saml_keys_one_row_check', 'id = 1')
export class SamlKey {
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'saml_keys_pkey' })
  id: number;

  /** PKCS #8 in PEM, encrypted with APP_SECRET. */
  @Sealed(SAML_PRIVATE_KEY)
  @Column('text')
  sealedPrivateKey: string;

  /** PEM. */
  @Column('text')
  certificate: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
