import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { SecretBox } from '../../shared/secrets/index.js';
import { ACCESS_KEY_SECRET, AccessKey } from './access-key.entity.js';

/** An access key as it should be; without a secret a new key gets a random one. */
export interface AccessKeyDeclaration {
  readonly accessKey: string;
  readonly accessSecret?: string;
  readonly userId: number;
}

/** A key in clear, for the verification of one signature. */
export interface OpenedAccessKey {
  readonly accessKey: string;
  /** Null: it was encrypted under an APP_SECRET that the service no longer has. */
  readonly accessSecret: string | null;
  readonly userId: number;
}

const FIND = `SELECT id, access_key AS "accessKey", sealed_secret AS "sealedSecret", user_id AS "userId", created_at AS "createdAt"
  FROM access_keys WHERE access_key = ANY($1::text[])`;

/** Access keys and their secrets. */
@Injectable()
export class AccessKeys {
  private readonly findOne: (accessKey: string) => Promise<AccessKey | null>;

  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {
    this.findOne = database.batched(String, async (keys: readonly string[]) => {
      const { rows } = await database.query<AccessKey>(FIND, [keys]);
      return new Map(rows.map((row) => [row.accessKey, row]));
    });
  }

  async find(accessKey: string): Promise<OpenedAccessKey | null> {
    const found = await this.findOne(accessKey);
    if (!found) return null;
    const opened = this.secrets.tryOpen(ACCESS_KEY_SECRET, found.sealedSecret);
    return { accessKey, accessSecret: opened?.plain ?? null, userId: found.userId };
  }

  /** As it is stored, inside the ambient transaction. */
  async findStored(accessKey: string): Promise<AccessKey | null> {
    return await this.database.repository(AccessKey).findOneBy({ accessKey });
  }

  /** Creates or updates the key; answers the secret if it was generated here, else null. A secret that stays is not sealed anew. */
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

  /** False also for a secret that cannot be read: declaring the key again mends it. */
  private isSecretOf(existing: AccessKey | null, secret: string): boolean {
    return existing !== null && this.secrets.tryOpen(ACCESS_KEY_SECRET, existing.sealedSecret)?.plain === secret;
  }
}
