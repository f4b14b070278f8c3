import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** Links a NameID of an identity provider to a user. After the first login the e-mail address is irrelevant. */
@Entity('saml_identities')
export class SamlIdentity {
  @ForeignKey('identity_providers', { name: 'saml_identities_identity_provider_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'saml_identities_pkey' })
  identityProviderId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'saml_identities_pkey' })
  nameId: string;

  /** Empty: the identity provider named none. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'saml_identities_pkey' })
  nameIdFormat: string;

  @Index('saml_identities_user_id_idx')
  @ForeignKey('users', { name: 'saml_identities_user_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  userId: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
