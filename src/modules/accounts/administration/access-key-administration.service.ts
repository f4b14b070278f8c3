import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../shared/audit/audit.service.js';
import type { Caller } from '../../../shared/auth/index.js';
import { Database, type Portion } from '../../../shared/database/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { requireMatch } from '../../../shared/http/index.js';
import { invalidInput } from '../../../shared/validation/index.js';
import { AccessKeysService, type ListedAccessKey } from '../access-keys.service.js';
import { AccountsService } from '../accounts.service.js';
import { ProofsService } from '../proofs.service.js';
import { AdministrationService, requireRank } from './administration.service.js';

/** What a find of access keys asks for. */
interface WantedAccessKeys {
  readonly id?: number | null;
  readonly userId?: number;
  readonly customerId?: number;
}

/** An access key never changes, so it has one version. */
export const versionOfKey = ({ id }: { readonly id: number }) => ({ id, version: 1 });

/** Lets administrators manage the access keys of their customer. */
@Injectable()
export class AccessKeyAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly administration: AdministrationService,
    private readonly keys: AccessKeysService,
    private readonly accounts: AccountsService,
    private readonly proofs: ProofsService,
    private readonly audit: AuditService,
  ) {}

  /** Lists a page of access keys, in the order of their ids. */
  async list(caller: Caller, { customerId, ...wanted }: WantedAccessKeys, portion: Portion): Promise<readonly ListedAccessKey[]> {
    return await this.keys.list({ reach: await this.administration.reachOfFind(caller, customerId), ...wanted, portion });
  }

  /** @throws DomainError 404 `not_found` */
  async get(caller: Caller, id: number): Promise<ListedAccessKey> {
    const [key] = await this.keys.list({ reach: await this.administration.reachOfId(caller), id });
    if (!key) throw generalErrors.not_found(`The access key ${id} does not exist.`);
    return key;
  }

  /**
   * Creates a key that acts as a user, with a random secret.
   * @throws DomainError 400 `validation_failed` for an unknown user, 403 `admin_level_not_sufficient` for one with more rights than the caller,
   * `confirmation_required`
   */
  async create(caller: Caller, userId: number): Promise<ListedAccessKey & { readonly accessSecret: string }> {
    const { customerId } = await this.administration.reachOfId(caller);
    await this.proofs.requireAtApi(caller, 'accessKey');
    return await this.database.transaction(async () => {
      const user = await this.accounts.lockById(userId);
      const isKnown = user && user.kind !== 'sender' && !user.disabledAt && (customerId ?? user.customerId) === user.customerId;
      if (!isKnown) throw invalidInput({ path: 'userId', code: 'not_found', message: `there is no active user ${userId}` });
      requireRank(caller, user, `make an access key for user ${userId}`);
      const accessKey = randomBytes(16).toString('base64url');
      const accessSecret = (await this.keys.declare({ accessKey, userId })) ?? '';
      await this.audit.recorderOf(caller)('access_key.create', `access_key:${accessKey}`, user.customerId);
      const stored = await this.keys.findStored(accessKey);
      if (!stored) throw new Error('The access key was stored a moment ago.');
      const { id, createdAt } = stored;
      return { id, accessKey, userId, user: user.email, customerId: user.customerId, createdAt, accessSecret };
    });
  }

  /**
   * Deletes a key; its signatures are refused from now on.
   * @throws DomainError 404 `not_found`, 412 `precondition_failed`, 403 `admin_level_not_sufficient` for a key of a user with more rights
   */
  async delete(caller: Caller, { id, ifMatch }: { readonly id: number; readonly ifMatch?: string }): Promise<void> {
    await this.database.transaction(async () => {
      const { accessKey, userId, customerId } = await this.get(caller, id);
      requireMatch(ifMatch, versionOfKey({ id }), `access key ${id}`);
      const user = await this.accounts.lockById(userId);
      if (user) requireRank(caller, user, `remove an access key of user ${userId}`);
      if (!(await this.keys.remove(accessKey))) throw generalErrors.not_found(`The access key ${id} does not exist.`);
      await this.audit.recorderOf(caller)('access_key.remove', `access_key:${accessKey}`, customerId);
    });
  }
}
