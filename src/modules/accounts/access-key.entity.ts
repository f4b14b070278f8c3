import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { Sealed } from '../../shared/secrets/index.js';

/** The purpose under which SecretBoxService encrypts the secrets of access keys. */
export const ACCESS_KEY_SECRET = 'access key';

/** A key with which a server signs its requests instead of sending a token. */
@Entity('access_keys')
export class AccessKey {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'access_keys_pkey' })
  id: number;

  @Index('access_keys_access_key_key', { unique: true })
  @Column('text')
  accessKey: string;

  /** The secret, encrypted with APP_SECRET: an HMAC needs the plain text, so a hash is not enough. */
  @Sealed(ACCESS_KEY_SECRET)
  @Column('text')
  sealedSecret: string;

  /** The user on whose behalf the key acts. */
  @Index('access_keys_user_id_idx')
  @ForeignKey('users', { name: 'access_keys_user_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  userId: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
