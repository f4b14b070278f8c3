import { Check, Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { Sealed } from '../../shared/secrets/index.js';

/** Purpose of SecretBoxService. */
export const SAML_PRIVATE_KEY = 'saml key';

/** The key with which AuthnRequests are signed, made once. One row: identity providers keep its certificate. */
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
