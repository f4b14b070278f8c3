import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, type Portion, type Reach } from '../../shared/database/index.js';
import { SecretBoxService } from '../../shared/secrets/index.js';
import { isId, MAX_ID } from '../../shared/validation/index.js';
import { ACCESS_KEY_SECRET, AccessKey } from './access-key.entity.js';
import { User } from './user.entity.js';

/** An access key to create or update; without a secret a new key gets a random one. */
export interface AccessKeyDeclaration {
  readonly accessKey: string;
  readonly accessSecret?: string;
  readonly userId: number;
}

/** An access key with its decrypted secret, to verify a signature. */
export interface OpenedAccessKey {
  readonly accessKey: string;
  /** Null: it was encrypted under an APP_SECRET that the service no longer has. */
  readonly accessSecret: string | null;
  readonly userId: number;
}

/** The access keys to list; without a portion, all of them. */
export interface WantedAccessKeys {
  readonly reach: Reach;
  readonly id?: number | null;
  readonly userId?: number;
  readonly portion?: Portion;
}

/** An access key as administrators see it. */
export interface ListedAccessKey {
  readonly id: number;
  readonly accessKey: string;
  readonly userId: number;
  /** The address of the user. */
  readonly user: string;
  readonly customerId: number;
  readonly createdAt: Date;
}

/** Manages access keys and their encrypted secrets. */
@Injectable()
export class AccessKeysService {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBoxService,
  ) {}

  async find(accessKey: string): Promise<OpenedAccessKey | null> {
    const found = await this.findStored(accessKey);
    if (!found) return null;
    const opened = this.secrets.tryOpen(ACCESS_KEY_SECRET, found.sealedSecret);
    return { accessKey, accessSecret: opened?.plain ?? null, userId: found.userId };
  }

  /** Lists the access keys of a user, without their secrets. */
  async listOfUser(userId: number): Promise<string[]> {
    const keys = await this.database.repository(AccessKey).find({ select: { accessKey: true }, where: { userId }, order: { id: 'ASC' } });
    return keys.map(({ accessKey }) => accessKey);
  }

  /** Lists access keys with their users and without their secrets, in the order of their creation. */
  async list({ reach, id, userId, portion }: WantedAccessKeys): Promise<readonly ListedAccessKey[]> {
    if ((portion?.after ?? 0) > MAX_ID || [reach.customerId, id ?? undefined, userId].some((one) => one !== undefined && !isId(one)))
      return [];
    const keys = this.database.repository(AccessKey).createQueryBuilder('key').innerJoin(User, 'user', 'user.id = key.userId');
    if (reach.customerId !== undefined) keys.andWhere('user.customerId = :customerId', { customerId: reach.customerId });
    if (typeof id === 'number') keys.andWhere('key.id = :id', { id });
    if (userId !== undefined) keys.andWhere('key.userId = :userId', { userId });
    if (portion) keys.andWhere('key.id > :after', { after: portion.after }).limit(portion.limit);
    keys.select(['key.id AS "id"', 'key.accessKey AS "accessKey"', 'user.id AS "userId"', 'user.email AS "user"']);
    return await keys.addSelect(['user.customerId AS "customerId"', 'key.createdAt AS "createdAt"']).orderBy('key.id').getRawMany();
  }

  /** Deletes the key, whose signatures are refused from now on, in every process; false if it does not exist. */
  async remove(accessKey: string): Promise<boolean> {
    return (await this.database.repository(AccessKey).delete({ accessKey })).affected === 1;
  }

  /** Reads the row as the ambient transaction sees it. */
  async findStored(accessKey: string): Promise<AccessKey | null> {
    return await this.database.repository(AccessKey).findOneBy({ accessKey });
  }

  /** Creates or updates the key. Returns the secret if it was generated here, otherwise null. An unchanged secret is not re-encrypted. */
  async declare({ accessKey, accessSecret, userId }: AccessKeyDeclaration): Promise<string | null> {
    const existing = await this.findStored(accessKey);
    const generated = accessSecret === undefined && !existing ? randomBytes(32).toString('base64url') : null;
    const secret = accessSecret ?? generated;
    const sealedSecret =
      secret === null || this.isSecretOf(existing, secret) ? existing?.sealedSecret : this.secrets.seal(ACCESS_KEY_SECRET, secret);
    const repository = this.database.repository(AccessKey);
    await repository.save(repository.create({ ...existing, accessKey, userId, sealedSecret }));
    return generated;
  }

  /** Returns false also if the stored secret cannot be decrypted, so that declaring the key again replaces it. */
  private isSecretOf(existing: AccessKey | null, secret: string): boolean {
    return existing !== null && this.secrets.tryOpen(ACCESS_KEY_SECRET, existing.sealedSecret)?.plain === secret;
  }
}
