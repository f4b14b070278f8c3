import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { Sealed } from '../../shared/secrets/index.js';

/** Purpose of SecretBoxService. */
export const ACCESS_KEY_SECRET = 'access key';

/** A key with which a server signs its requests instead of carrying a token. */
@Entity('access_keys')
export class AccessKey {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'access_keys_pkey' })
  id: number;

  @Index('access_keys_access_key_key', { unique: true })
  @Column('text')
  accessKey: string;

  /** The secret, encrypted with APP_SECRET: an HMAC needs it in clear, so it cannot be hashed. */
  @Sealed(ACCESS_KEY_SECRET)
  @Column('text')
  sealedSecret: string;

  /** As whom the key acts. */
  @Index('access_keys_user_id_idx')
  @ForeignKey('users', { name: 'access_keys_user_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  userId: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
