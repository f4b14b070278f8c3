import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import { type Caller, editorOf } from '../../shared/auth/index.js';
import { Clock } from '../../shared/clock.js';
import { Database, type Portion } from '../../shared/database/index.js';
import { generalErrors } from '../../shared/errors.js';
import { requireMatch } from '../../shared/http/index.js';
import { QuotasService } from '../../shared/quotas/index.js';
import { findTooLarge, refuseInvalid } from '../../shared/validation/index.js';
import type { MediaType } from '../media/index.js';
import {
  applyChanges,
  type ConfigurationChanges,
  findContradictions,
  toNewConfiguration,
  type WantedConfiguration,
} from './apply-changes.js';
import { ConfigurationReferencesService } from './configuration-references.service.js';
import type { DeliveredConfiguration } from './player-configuration.entity.js';
import { type FreshConfiguration, PlayerConfigurationCacheService } from './player-configuration-cache.service.js';
import { unknownConfiguration } from './player-configurations.errors.js';
import { PlayerConfigurationsRepository } from './player-configurations.repository.js';

/** Which configurations to list: those with an id greater than `after`, or only the one with `id`. */
interface ConfigurationPage extends Portion {
  readonly id?: number | null;
  readonly refresh?: boolean;
}

/** A change of one configuration; with `ifMatch` only if it has a version that the header names. */
type ConfigurationUpdate = ConfigurationChanges & { readonly id: number; readonly type?: unknown; readonly ifMatch?: string };

type UpdatedConfiguration = FreshConfiguration & {
  /** The formats that the change removed. */
  readonly removedFormats: readonly number[];
};

/** The player configurations of a customer, which any of its users may manage. */
@Injectable()
export class PlayerConfigurationsService {
  constructor(
    private readonly configurations: PlayerConfigurationsRepository,
    private readonly cache: PlayerConfigurationCacheService,
    private readonly references: ConfigurationReferencesService,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly quotas: QuotasService,
    private readonly audit: AuditService,
  ) {}

  /** A page of the customer's configurations, or the one with `id`. */
  async list(caller: Caller, { id, after, limit, refresh }: ConfigurationPage): Promise<FreshConfiguration[]> {
    if (id === undefined || id === null) {
      const readAt = this.clock.now();
      return (await this.configurations.list(caller.customerId, { after, limit })).map((value) => ({ value, readAt }));
    }
    const found = id > after ? await this.cache.find(caller.customerId, id, { refresh }) : null;
    return found ? [found] : [];
  }

  /** Returns a configuration from the cache, or with `refresh` from the database. Throws `not_found`. */
  async get(caller: Caller, id: number, options: { readonly refresh?: boolean } = {}): Promise<FreshConfiguration> {
    const found = await this.cache.find(caller.customerId, id, options);
    if (!found) throw unknownConfiguration(id);
    return found;
  }

  /** Creates a configuration. Throws `validation_failed` for references that do not exist or are not suitable, and `quota_exceeded`. */
  async create(caller: Caller, wanted: WantedConfiguration): Promise<FreshConfiguration> {
    refuseSupport(caller, wanted, null);
    const context = { customerId: caller.customerId, type: wanted.type, before: null };
    return await this.references.changeChecked(wanted, context, async () => {
      return await this.database.transaction(async () => {
        await this.references.lockFormats(wanted, null);
        await this.quotas.reserve(caller.customerId, 'playerConfigurations');
        const id = await this.configurations.insert(toNewConfiguration(wanted, caller));
        await this.audit.note(caller, { action: 'player_configuration.create', subject: `player_configuration:${id}` });
        return await this.read(id);
      });
    });
  }

  /**
   * Changes a configuration. Throws `not_found`, `validation_failed`, and `precondition_failed` if it does not have a version that `ifMatch` names.
   */
  async update(caller: Caller, { type, ...update }: ConfigurationUpdate): Promise<UpdatedConfiguration> {
    const { value: known } = await this.get(caller, update.id);
    refuseSupport(caller, update, known);
    const problems = findContradictions(known, { type, templateId: update.templateId });
    const context = { customerId: caller.customerId, type: known.type, before: known, problems };
    return await this.references.changeChecked(update, context, async () => {
      return await this.database.transaction(async () => await this.changeLocked(caller, update, known));
    });
  }

  /**
   * The default configuration of a type for new embed links, made when it is first needed: open to everyone who has the link. It does not count against
   * the quota.
   */
  async requireDefault(caller: Caller, type: MediaType): Promise<number> {
    const { customerId } = caller;
    return (
      (await this.configurations.findDefault(customerId, type)) ??
      (await this.database.transaction(async () => {
        await this.configurations.lockDefault(customerId, type);
        const existing = await this.configurations.findDefault(customerId, type);
        if (existing !== null) return existing;
        const isPlain = type === 'image' || type === 'document';
        const wanted = { name: `Default (${type})`, type, templateId: isPlain ? 0 : 1, formats: [], automaticFormats: true };
        const id = await this.configurations.insert({ ...toNewConfiguration(wanted, caller), isDefault: true });
        await this.audit.note(caller, { action: 'player_configuration.create', subject: `player_configuration:${id}` });
        return id;
      }))
    );
  }

  /** Makes a configuration the default one of its type. Throws `not_found`, `precondition_failed`. */
  async makeDefault(
    caller: Caller,
    { id, ifMatch }: { readonly id: number; readonly ifMatch: string | undefined },
  ): Promise<FreshConfiguration> {
    const { customerId } = caller;
    const { value: known } = await this.get(caller, id);
    return await this.database.transaction(async () => {
      await this.configurations.lockDefault(customerId, known.type);
      const before = await this.configurations.lockForChange(customerId, id);
      if (!before) throw unknownConfiguration(id);
      requireMatch(ifMatch, before, `player configuration ${id}`);
      if (!before.isDefault) {
        await this.configurations.markDefault(before, editorOf(caller));
        await this.audit.note(caller, { action: 'player_configuration.update', subject: `player_configuration:${id}` });
      }
      return await this.read(id);
    });
  }

  private async changeLocked(
    caller: Caller,
    { id, ifMatch, ...changes }: ConfigurationUpdate,
    known: DeliveredConfiguration,
  ): Promise<UpdatedConfiguration> {
    await this.references.lockFormats(changes, known);
    const before = await this.configurations.lockForChange(caller.customerId, id);
    if (!before) throw unknownConfiguration(id);
    requireMatch(ifMatch, before, `player configuration ${id}`);
    const changed = applyChanges(before, changes, caller);
    const { configuration, securitySettings, settings } = changed;
    refuseInvalid(findTooLarge({ configuration, securitySettings, settings }, changes));
    await this.configurations.update(id, changed);
    await this.audit.note(caller, { action: 'player_configuration.update', subject: `player_configuration:${id}` });
    const kept = new Set(changes.formats.map(({ formatId }) => formatId));
    const removedFormats = before.formats.map(({ formatId }) => formatId).filter((formatId) => !kept.has(formatId));
    return { ...(await this.read(id)), removedFormats };
  }

  private async read(id: number): Promise<FreshConfiguration> {
    const readAt = this.clock.now();
    const value = await this.configurations.findById(id);
    if (!value) throw unknownConfiguration(id);
    return { value, readAt };
  }
}

/**
 * Refuses support staff what outlasts their visit or lets others in: `autoGenerate`, which would generate embed links later, and other rules for the
 * embed links of a configuration.
 */
function refuseSupport(
  { supportUserId }: Caller,
  { autoGenerate, securitySettings }: ConfigurationChanges,
  before: DeliveredConfiguration | null,
): void {
  if (supportUserId === null) return;
  if (autoGenerate === true && !before?.autoGenerate) {
    throw generalErrors.support_access_denied('Support access cannot switch on autoGenerate, because it creates embed links.');
  }
  if (before && securitySettings !== undefined && !isDeepStrictEqual(asJson(securitySettings), asJson(before.securitySettings))) {
    throw generalErrors.support_access_denied('Support access cannot change securitySettings, because they decide who gets in.');
  }
}

const asJson = (value: object | null): unknown => JSON.parse(JSON.stringify(value ?? {}));
