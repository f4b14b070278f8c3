import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In, MoreThan } from 'typeorm';
import type { Editor } from '../../shared/auth/index.js';
import { countUpTo, Database, type Portion } from '../../shared/database/index.js';
import { QuotasService } from '../../shared/quotas/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import type { MediaType } from '../media/index.js';
import {
  type ChangeableConfiguration,
  type DeliveredConfiguration,
  type DeliveredFormat,
  type NewConfiguration,
  PlayerConfiguration,
  PlayerConfigurationFormat,
} from './player-configuration.entity.js';

/** Reads and writes player configurations and their formats. */
@Injectable()
export class PlayerConfigurationsRepository {
  constructor(
    private readonly database: Database,
    quotas: QuotasService,
  ) {
    quotas.countBy('playerConfigurations', async (customerId, atMost) => await countUpTo(this.configurations, { customerId }, atMost));
  }

  async findById(id: number): Promise<DeliveredConfiguration | null> {
    return (await this.findDelivered({ id }))[0] ?? null;
  }

  /** Finds the version of a configuration; null: the customer has none with this id. */
  async findVersion(customerId: number, id: number): Promise<number | null> {
    return (await this.configurations.findOne({ select: { version: true }, where: { customerId, id } }))?.version ?? null;
  }

  /** Configurations with an id greater than `after`, ordered by id. */
  async list(customerId: number, { after, limit }: Portion): Promise<DeliveredConfiguration[]> {
    if (after >= MAX_ID) return [];
    // Selects the ids first, because a limit on the joined rows would count formats.
    const page = { where: { customerId, id: MoreThan(after) }, order: { id: 'ASC' }, take: limit } as const;
    const rows = await this.configurations.find({ select: { id: true }, ...page });
    return rows.length === 0 ? [] : await this.findDelivered({ id: In(rows.map(({ id }) => id)) });
  }

  /** Locks a configuration against other changes until the transaction ends; embed links can still be created with it. */
  async lockForChange(customerId: number, id: number): Promise<DeliveredConfiguration | null> {
    const lock = { mode: 'for_no_key_update' } as const;
    const locked = await this.configurations.findOne({ select: { id: true }, where: { customerId, id }, lock });
    return locked && (await this.findById(id)); // read after locking, because the formats may have changed while it waited
  }

  /**
   * Locks the existing configurations, so that no embed link can be created with them until the transaction ends. Locks them in the order of their
   * ids, so that two transactions cannot deadlock.
   */
  async lockForDestruction(customerId: number, ids: readonly number[]): Promise<Map<number, DeliveredConfiguration>> {
    const locked = await this.configurations.find({
      select: { id: true },
      where: { customerId, id: In(ids.filter((id) => id <= MAX_ID)) },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    const found = await this.findDelivered({ id: In(locked.map(({ id }) => id)) });
    return new Map(found.map((configuration) => [configuration.id, configuration]));
  }

  /** Locks a configuration against destruction until the transaction ends; it may still change. Null: the customer has none with this id. */
  async lockForLink(customerId: number, id: number): Promise<Pick<PlayerConfiguration, 'id' | 'type'> | null> {
    const lock = { mode: 'for_key_share' } as const;
    return await this.configurations.findOne({ select: { id: true, type: true }, where: { customerId, id }, lock });
  }

  /** The configurations that generate an embed link for every new container of the type. */
  async listAutoGenerating(customerId: number, type: MediaType): Promise<number[]> {
    const where = { customerId, type, autoGenerate: true };
    return (await this.configurations.find({ select: { id: true }, where, order: { id: 'ASC' } })).map(({ id }) => id);
  }

  /** Finds the default configuration of a type; null: none was needed yet. */
  async findDefault(customerId: number, type: MediaType): Promise<number | null> {
    return (await this.configurations.findOne({ select: { id: true }, where: { customerId, type, isDefault: true } }))?.id ?? null;
  }

  /** Makes other changes of the default configuration of a type wait until the transaction ends. */
  async lockDefault(customerId: number, type: MediaType): Promise<void> {
    await this.database.lock(`default player configuration ${customerId} ${type}`);
  }

  /** Moves the mark to a configuration; after `lockDefault`. */
  async markDefault({ id, customerId, type }: Pick<PlayerConfiguration, 'id' | 'customerId' | 'type'>, editor: Editor): Promise<void> {
    await this.configurations.update({ customerId, type, isDefault: true }, { isDefault: false });
    await this.configurations.update({ id }, { isDefault: true, ...editor });
  }

  async insert({ formats, ...configuration }: NewConfiguration & { readonly isDefault?: boolean }): Promise<number> {
    const { id } = await this.configurations.save(this.configurations.create(configuration as Partial<PlayerConfiguration>));
    await this.insertFormats(id, formats);
    return id;
  }

  /** Replaces all changeable members of a locked configuration. */
  async update(id: number, { formats, ...changed }: ChangeableConfiguration): Promise<void> {
    await this.configurations.update({ id }, changed as Partial<PlayerConfiguration>);
    await this.formats.delete({ playerConfigurationId: id });
    await this.insertFormats(id, formats);
  }

  /** Makes a configuration generate embed links from now on. */
  async enableAutoGenerate(id: number, editor: Editor): Promise<void> {
    await this.configurations.update({ id, autoGenerate: false }, { autoGenerate: true, ...editor });
  }

  /** Removes a format from all configurations that deliver it, and returns their ids and their customer; null: there are none. */
  async removeFormat(formatId: number): Promise<{ readonly ids: number[]; readonly customerId: number } | null> {
    const delivering = await this.formats.find({ select: { playerConfigurationId: true }, where: { formatId } });
    const ids = delivering.map(({ playerConfigurationId }) => playerConfigurationId);
    const lock = { mode: 'for_no_key_update' } as const;
    const [first] = await this.configurations.find({ where: { id: In(ids) }, order: { id: 'ASC' }, lock }); // in order, as above
    const { raw } = await this.formats.createQueryBuilder().delete().where({ formatId }).returning(['playerConfigurationId']).execute();
    const changed = (raw as { readonly player_configuration_id: number }[]).map((row) => row.player_configuration_id);
    await this.configurations.update({ id: In(changed) }, { version: () => 'version + 1' }); // its formats are in another table
    return first && changed.length > 0 ? { ids: changed.sort((one, other) => one - other), customerId: first.customerId } : null;
  }

  async delete(id: number): Promise<void> {
    await this.configurations.delete({ id });
  }

  /** Reads configurations with their formats in one statement, so that both have the same state. */
  private async findDelivered(where: FindOptionsWhere<PlayerConfiguration>): Promise<DeliveredConfiguration[]> {
    const order = { id: 'ASC', formats: { position: 'ASC' } } as const;
    return (await this.configurations.find({ where, relations: { formats: true }, order })) as DeliveredConfiguration[];
  }

  private async insertFormats(id: number, formats: readonly DeliveredFormat[]): Promise<void> {
    if (formats.length === 0) return;
    await this.formats.insert(
      formats.map(({ formatId, downloadable }, position) => ({ playerConfigurationId: id, formatId, downloadable, position })),
    );
  }

  private get configurations() {
    return this.database.repository(PlayerConfiguration);
  }

  private get formats() {
    return this.database.repository(PlayerConfigurationFormat);
  }
}
