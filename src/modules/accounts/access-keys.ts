import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { SecretBox } from '../../shared/secrets/index.js';
import { AccessKey } from './access-key.entity.js';

const PURPOSE = 'access key';

/** An access key as it should be; without a secret a new key gets a random one. */
export interface AccessKeyDeclaration {
  readonly accessKey: string;
  readonly accessSecret?: string;
  readonly userId: number;
}

/** A key in clear, for the verification of one signature. */
export interface OpenedAccessKey {
  readonly accessKey: string;
  readonly accessSecret: string;
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
    return found ? { accessKey, accessSecret: this.secrets.open(PURPOSE, found.sealedSecret), userId: found.userId } : null;
  }

  /** Creates or updates the key; answers the secret only when it was generated here. */
  async declare({ accessKey, accessSecret, userId }: AccessKeyDeclaration): Promise<{ id: number; generatedSecret: string | null }> {
    const repository = this.database.repository(AccessKey);
    const existing = await repository.findOneBy({ accessKey });
    const generatedSecret = accessSecret === undefined && !existing ? randomBytes(32).toString('base64url') : null;
    const secret = accessSecret ?? generatedSecret;
    const sealedSecret = secret === null ? existing?.sealedSecret : this.secrets.seal(PURPOSE, secret);
    const { id } = await repository.save(repository.create({ ...existing, accessKey, userId, sealedSecret }));
    return { id, generatedSecret };
  }
}
