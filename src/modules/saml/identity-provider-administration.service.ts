import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { AuditService } from '../../shared/audit/audit.service.js';
import type { Caller } from '../../shared/auth/index.js';
import { Database, isUniqueViolation, type Portion, withinReach } from '../../shared/database/index.js';
import { defineErrors, generalErrors } from '../../shared/errors.js';
import { requireMatch } from '../../shared/http/index.js';
import { defined, MAX_ID } from '../../shared/validation/index.js';
import { AdministrationService, AdministratorsService, ProofsService } from '../accounts/index.js';
import type { CreateIdentityProviderDto, IdentityProviderChangesDto } from './identity-provider.dto.js';
import { IdentityProvider } from './identity-provider.entity.js';
import { MetadataReaderService } from './metadata-reader.service.js';
import type { IdpMetadata } from './read-metadata.js';

const errors = defineErrors({
  sso_identifier_taken: {
    kind: 'conflict',
    meaning: 'Another identity provider, perhaps of another customer, has this ssoIdentifier. Choose a different one.',
  },
});

/** What a find of identity providers asks for. */
interface WantedIdentityProviders {
  readonly id?: number | null;
  readonly customerId?: number;
}

/** An identity provider to change; with `ifMatch` only if it has a version that the header names. */
interface ChangedIdentityProvider {
  readonly id: number;
  readonly ifMatch?: string;
}

/** An identity provider, and why certificates of its metadata are not used. */
interface Configured {
  readonly provider: IdentityProvider;
  readonly leftOut: readonly string[];
}

/** Lets administrators manage the identity providers of their customer. */
@Injectable()
export class IdentityProviderAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly administration: AdministrationService,
    private readonly administrators: AdministratorsService,
    private readonly proofs: ProofsService,
    private readonly audit: AuditService,
    private readonly reader: MetadataReaderService,
  ) {}

  /** Lists a page of identity providers, in the order of their ids. */
  async list(caller: Caller, { id, customerId }: WantedIdentityProviders, { after, limit }: Portion): Promise<IdentityProvider[]> {
    const reach = await this.administration.reachOfFind(caller, customerId);
    if (Math.max(after, id ?? 0) > MAX_ID || (id ?? MAX_ID) <= after) return [];
    const where = { ...withinReach(reach), id: id ?? MoreThan(after) };
    return await this.providers.find({ where, order: { id: 'ASC' }, take: limit });
  }

  /** @throws DomainError 404 `not_found`, 403 `admin_level_not_sufficient` */
  async get(caller: Caller, id: number): Promise<IdentityProvider> {
    const provider = await this.providers.findOneBy({ ...withinReach(await this.administration.reachOfId(caller)), id });
    if (!provider) throw unknown(id);
    return provider;
  }

  /**
   * @throws DomainError 400 `validation_failed`, 403 `admin_level_not_sufficient`, `operator_only`, `confirmation_required`, 409
   * `sso_identifier_taken`
   */
  async create(caller: Caller, { customerId: named, metadata, ...settings }: CreateIdentityProviderDto): Promise<Configured> {
    const customerId = await this.administration.customerOfNew(caller, named);
    await this.proofs.requireAtApi(caller, 'identityProvider');
    const read = await this.reader.read(metadata, customerId);
    try {
      return await this.database.transaction(async () => await this.save(caller, { ...defined(settings), customerId }, read));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw errors.sso_identifier_taken(`The ssoIdentifier "${settings.ssoIdentifier}" is in use.`);
    }
  }

  /**
   * @throws DomainError 404 `not_found`, 412 `precondition_failed`, 400 `validation_failed`, 403 `admin_level_not_sufficient`,
   * `confirmation_required`, 409 `last_administrator` if no administrator of the customer could sign in afterwards
   */
  async update(
    caller: Caller,
    { id, ifMatch, metadata, ...changes }: IdentityProviderChangesDto & ChangedIdentityProvider,
  ): Promise<Configured> {
    const { customerId } = await this.get(caller, id);
    await this.proofs.requireAtApi(caller, 'identityProvider');
    const read = metadata === undefined ? null : await this.reader.read(metadata, customerId); // before any row is locked
    return await this.inTransaction(customerId, async () => {
      const provider = await this.lock(caller, { id, ifMatch });
      const isChanged = read !== null || Object.keys(defined(changes)).length > 0;
      return isChanged ? await this.save(caller, { ...provider, ...defined(changes) }, read) : { provider, leftOut: [] };
    });
  }

  /** Deletes an identity provider: its people can no longer sign in there. Throws like `update`, but needs no confirmation. */
  async delete(caller: Caller, changed: ChangedIdentityProvider): Promise<void> {
    const { customerId } = await this.get(caller, changed.id);
    await this.inTransaction(customerId, async () => {
      const { id, ssoIdentifier } = await this.lock(caller, changed);
      await this.providers.delete({ id });
      await this.audit.recorderOf(caller)('identity_provider.remove', `identity_provider:${ssoIdentifier}`, customerId);
    });
  }

  private async inTransaction<Result>(customerId: number, change: () => Promise<Result>): Promise<Result> {
    return await this.database.transaction(async () => await this.administrators.keepOne(customerId, change));
  }

  private async lock(caller: Caller, { id, ifMatch }: ChangedIdentityProvider): Promise<IdentityProvider> {
    await this.get(caller, id);
    const provider = await this.providers.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!provider) throw unknown(id);
    requireMatch(ifMatch, provider, `identity provider ${id}`);
    return provider;
  }

  /**
   * An identity provider can assert to be any user of the customer, so it may sign in only users whose adminLevel is not above that of the administrator
   * who configured it. New metadata sets the limit anew, other changes can only lower it.
   */
  private async save(caller: Caller, settings: Partial<IdentityProvider>, read: IdpMetadata | null): Promise<Configured> {
    const before = settings.maxAdminLevel ?? Number.POSITIVE_INFINITY;
    const maxAdminLevel = read ? caller.adminLevel : Math.min(before, caller.adminLevel);
    const { leftOut = [], ...source } = read ?? {};
    const stored: Partial<IdentityProvider> = { ...settings, ...(source as Partial<IdentityProvider>), maxAdminLevel };
    // As a plain object: TypeORM takes an instance of the input's class for another value than the stored one.
    if (settings.attributeMapping) stored.attributeMapping = { ...settings.attributeMapping };
    const { id, version } = await this.providers.save(this.providers.create(stored));
    const provider = await this.providers.findOneByOrFail({ id }); // with the defaults of the database
    const { ssoIdentifier, customerId } = provider;
    if (version !== settings.version) {
      const action = settings.id === undefined ? 'identity_provider.create' : 'identity_provider.update';
      await this.audit.recorderOf(caller)(action, `identity_provider:${ssoIdentifier}`, customerId);
    }
    return { provider, leftOut };
  }

  private get providers() {
    return this.database.repository(IdentityProvider);
  }
}

const unknown = (id: number) => generalErrors.not_found(`The identity provider ${id} does not exist.`);
