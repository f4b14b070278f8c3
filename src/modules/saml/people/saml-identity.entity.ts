import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';

/** Who a NameID of an identity provider is here. The e-mail address plays no part after the first login. */
@Entity('saml_identities')
@Index('saml_identities_name_id_key', ['identityProviderId', 'nameId', 'nameIdFormat'], { unique: true })
export class SamlIdentity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'saml_identities_pkey' })
  id: number;

  @ForeignKey('identity_providers', { name: 'saml_identities_identity_provider_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  identityProviderId: number;

  @Column('text')
  nameId: string;

  /** Empty: the identity provider named none. */
  @Column('text')
  nameIdFormat: string;

  @Index('saml_identities_user_id_idx')
  @ForeignKey('users', { name: 'saml_identities_user_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  userId: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
