import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import type { Cached } from '../../../shared/cache/index.js';
import { Database } from '../../../shared/database/index.js';
import { generalErrors } from '../../../shared/errors/index.js';
import { Quotas } from '../../../shared/quotas/index.js';
import { Clock } from '../../../shared/time/index.js';
import { findTooLarge, refuseInvalid } from '../../../shared/validation/index.js';
import type { DeliveredConfiguration } from '../delivered-configuration.js';
import { PlayerConfigurationReader } from '../player-configuration-reader.js';
import { unknownConfiguration } from '../player-configurations.errors.js';
import { PlayerConfigurationsRepository } from '../player-configurations.repository.js';
import { applyChanges, type ConfigurationChanges, toNewConfiguration, type WantedConfiguration } from './apply-changes.js';
import { ConfigurationReferences } from './configuration-references.js';
import { changedMeanwhile, checkVersion } from './entity-tag.js';
import { findContradictions } from './find-contradictions.js';

/** A configuration and when it was read from the database. */
export type FreshConfiguration = Pick<Cached<DeliveredConfiguration>, 'value' | 'readAt'>;

/** Which configurations: those behind `after`, of them only `id` if it is given. */
export interface ConfigurationPage {
  readonly id?: number | null;
  readonly after: number;
  readonly limit: number;
  readonly refresh?: boolean;
}

/** A change of one configuration; with `ifMatch` only of the version that it names. */
export type ConfigurationUpdate = ConfigurationChanges & { readonly id: number; readonly type?: unknown; readonly ifMatch?: string };

export type UpdatedConfiguration = FreshConfiguration & {
  /** The formats that the change took out. */
  readonly removedFormats: readonly number[];
};

/** The player configurations of a customer, which any of its users may manage. */
@Injectable()
export class PlayerConfigurationsService {
  constructor(
    private readonly configurations: PlayerConfigurationsRepository,
    private readonly reader: PlayerConfigurationReader,
    private readonly references: ConfigurationReferences,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly quotas: Quotas,
  ) {}

  /** A page of the customer's configurations, or the one of this id. */
  async list(caller: Caller, { id, after, limit, refresh }: ConfigurationPage): Promise<FreshConfiguration[]> {
    if (id === undefined || id === null) {
      const readAt = this.clock.now();
      return (await this.configurations.list(caller.customerId, { after, limit })).map((value) => ({ value, readAt }));
    }
    const found = id > after ? await this.reader.find(caller.customerId, id, { refresh }) : null;
    return found ? [found] : [];
  }

  /** From memory unless `refresh` is wanted. Throws `not_found`. */
  async get(caller: Caller, id: number, options: { readonly refresh?: boolean } = {}): Promise<FreshConfiguration> {
    const found = await this.reader.find(caller.customerId, id, options);
    if (!found) throw unknownConfiguration(id);
    return found;
  }

  /** Throws `validation_failed` for what does not exist or does not fit, and `quota_exceeded`. */
  async create(caller: Caller, wanted: WantedConfiguration): Promise<FreshConfiguration> {
    refuseLinksOfSupport(caller, wanted, false);
    const context = { customerId: caller.customerId, type: wanted.type, before: null };
    return await this.references.holding(wanted, context, async () => {
      return await this.database.transaction(async () => {
        await this.references.keepFormats(wanted, null);
        await this.quotas.reserve(caller.customerId, 'playerConfigurations');
        return await this.read(await this.configurations.insert(toNewConfiguration(wanted, caller)));
      });
    });
  }

  /** Throws `not_found`, `validation_failed`, and `precondition_failed` when it is in another version than `ifMatch` says. */
  async update(caller: Caller, { type, ...update }: ConfigurationUpdate): Promise<UpdatedConfiguration> {
    const { value: known } = await this.get(caller, update.id);
    refuseLinksOfSupport(caller, update, known.autoGenerate);
    const problems = findContradictions(known, { type, templateId: update.templateId });
    const context = { customerId: caller.customerId, type: known.type, before: known, problems };
    return await this.references.holding(update, context, async () => {
      return await this.reader.changing([update.id], async () => await this.changeLocked(caller, update, known));
    });
  }

  private async changeLocked(
    caller: Caller,
    { id, ifMatch, ...changes }: ConfigurationUpdate,
    known: DeliveredConfiguration,
  ): Promise<UpdatedConfiguration> {
    await this.references.keepFormats(changes, known);
    const before = await this.configurations.lockForChange(caller.customerId, id);
    if (!before) throw unknownConfiguration(id);
    checkVersion(before, ifMatch);
    const changed = applyChanges(before, changes, caller);
    const { configuration, securitySettings, settings } = changed;
    refuseInvalid(findTooLarge({ configuration, securitySettings, settings }, changes));
    if (!(await this.configurations.update(before, changed))) throw changedMeanwhile(before);
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

/** A configuration that makes embed links by itself goes on doing so after the visit of support staff. */
function refuseLinksOfSupport({ supportUserId }: Caller, { autoGenerate }: ConfigurationChanges, before: boolean): void {
  if (supportUserId === null || autoGenerate !== true || before) return;
  throw generalErrors.support_access_denied('Support access may not switch on autoGenerate, which makes embed links.');
}
