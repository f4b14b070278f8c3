import { Injectable } from '@nestjs/common';
import type { Editor } from '../../shared/auth/index.js';
import { Database } from '../../shared/database/index.js';
import { Quotas } from '../../shared/quotas/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import type { MediaType } from '../formats/index.js';
import type { ChangeableConfiguration, DeliveredConfiguration, DeliveredFormat, NewConfiguration } from './delivered-configuration.js';
import type { PlayerConfiguration } from './player-configuration.entity.js';

/** One statement for a configuration and its formats, so that they are always of the same moment. */
const SELECT = `SELECT c.id, c.customer_id AS "customerId", c.name, c.type, c.template_id AS "templateId", c.width, c.height, c.configuration,
    c.security_settings AS "securitySettings", c.settings, c.auto_generate AS "autoGenerate", c.version, c.creator_id AS "creatorId",
    c.last_editor_id AS "lastEditorId", c.last_editor_support_user_id AS "lastEditorSupportUserId", c.created_at AS "createdAt", c.updated_at AS "updatedAt",
    coalesce((SELECT jsonb_agg(jsonb_build_object('formatId', f.format_id, 'downloadable', f.downloadable) ORDER BY f.position)
      FROM player_configuration_formats f WHERE f.player_configuration_id = c.id), '[]') AS formats
  FROM player_configurations c`;

const FIND = `${SELECT} WHERE c.id = $1`;

const LIST = `${SELECT} WHERE c.customer_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3`;

/** Embed links may be made meanwhile: what they depend on cannot change. */
const LOCK_FOR_CHANGE = 'SELECT id FROM player_configurations WHERE customer_id = $1 AND id = $2 FOR NO KEY UPDATE';

/** In the order of their ids, so that two that lock the same ones do not wait for each other. */
const LOCK_FOR_DESTRUCTION = `SELECT id FROM player_configurations WHERE customer_id = $1 AND id = ANY($2::int[]) ORDER BY id FOR UPDATE`;

/** It may change, but not go, until the transaction ends. */
const KEEP = 'SELECT id, type FROM player_configurations WHERE customer_id = $1 AND id = $2 FOR KEY SHARE';

const AUTO_GENERATING = 'SELECT id FROM player_configurations WHERE customer_id = $1 AND type = $2 AND auto_generate ORDER BY id';

const INSERT = `INSERT INTO player_configurations (name, template_id, width, height, configuration, security_settings, settings, auto_generate,
    last_editor_id, last_editor_support_user_id, customer_id, type, creator_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id`;

const UPDATE = `UPDATE player_configurations SET name = $1, template_id = $2, width = $3, height = $4, configuration = $5,
    security_settings = $6, settings = $7, auto_generate = $8, last_editor_id = $9, last_editor_support_user_id = $10,
    version = version + 1, updated_at = now()
  WHERE id = $11 AND version = $12`;

const HAND_AUTO_GENERATE = `UPDATE player_configurations SET auto_generate = true, last_editor_id = $2,
    last_editor_support_user_id = $3, version = version + 1, updated_at = now()
  WHERE id = $1 AND NOT auto_generate`;

const CLEAR_FORMATS = 'DELETE FROM player_configuration_formats WHERE player_configuration_id = $1';

const INSERT_FORMATS = `INSERT INTO player_configuration_formats (player_configuration_id, format_id, downloadable, position)
  SELECT $1, f.format_id, f.downloadable, f.place - 1 FROM unnest($2::int[], $3::boolean[]) WITH ORDINALITY AS f (format_id, downloadable, place)`;

/** In the order of their ids, so that two that lock the same ones do not wait for each other. */
const LOCK_WITH_FORMAT = `SELECT id FROM player_configurations
  WHERE id IN (SELECT player_configuration_id FROM player_configuration_formats WHERE format_id = $1) ORDER BY id FOR NO KEY UPDATE`;

const REMOVE_FORMAT = `WITH removed AS (DELETE FROM player_configuration_formats WHERE format_id = $1 RETURNING player_configuration_id)
  UPDATE player_configurations SET version = version + 1, updated_at = now()
  WHERE id IN (SELECT player_configuration_id FROM removed) RETURNING id`;

const DELETE = 'DELETE FROM player_configurations WHERE id = $1';

const COUNT = `SELECT count(*)::int AS count FROM (SELECT FROM player_configurations WHERE customer_id = $1 LIMIT $2) AS counted`;

/** Every query on player configurations and their formats. */
@Injectable()
export class PlayerConfigurationsRepository {
  constructor(
    private readonly database: Database,
    quotas: Quotas,
  ) {
    quotas.countBy('playerConfigurations', async (customerId, atMost) => await this.count(customerId, atMost));
  }

  /** Counted up to `atMost`. */
  private async count(customerId: number, atMost: number): Promise<number> {
    return (await this.database.queryOne<{ count: number }>(COUNT, [customerId, atMost]))?.count ?? 0;
  }

  async findById(id: number): Promise<DeliveredConfiguration | null> {
    return await this.database.queryOne<DeliveredConfiguration>(FIND, [id]);
  }

  /** Those behind `after`, in the order of their ids. */
  async list(customerId: number, { after, limit }: { readonly after: number; readonly limit: number }): Promise<DeliveredConfiguration[]> {
    if (after >= MAX_ID) return [];
    return (await this.database.query<DeliveredConfiguration>(LIST, [customerId, after, limit])).rows;
  }

  /** Held until the transaction ends, so that changes at the same time do not take each other back. */
  async lockForChange(customerId: number, id: number): Promise<DeliveredConfiguration | null> {
    // Read when it is locked: what the locking statement itself would say of the formats may be older.
    return (await this.database.queryOne(LOCK_FOR_CHANGE, [customerId, id])) && (await this.findById(id));
  }

  /** Those of the configurations that there are; no embed link can be made with them until the transaction ends. */
  async lockForDestruction(customerId: number, ids: readonly number[]): Promise<Map<number, DeliveredConfiguration>> {
    const { rows } = await this.database.query<{ id: number }>(LOCK_FOR_DESTRUCTION, [customerId, ids.filter((id) => id <= MAX_ID)]);
    const found = new Map<number, DeliveredConfiguration>();
    for (const { id } of rows) {
      const configuration = await this.findById(id);
      if (configuration) found.set(id, configuration);
    }
    return found;
  }

  /** The type of a configuration that stays until the transaction ends; null: there is none. */
  async keep(customerId: number, id: number): Promise<Pick<PlayerConfiguration, 'id' | 'type'> | null> {
    return await this.database.queryOne(KEEP, [customerId, id]);
  }

  /** Which configurations make embed links of every container of the type. */
  async listAutoGenerating(customerId: number, type: MediaType): Promise<number[]> {
    return (await this.database.query<{ id: number }>(AUTO_GENERATING, [customerId, type])).rows.map(({ id }) => id);
  }

  async insert(configuration: NewConfiguration): Promise<number> {
    const { customerId, type, creatorId, formats } = configuration;
    const row = await this.database.queryOne<{ id: number }>(INSERT, [...columnsOf(configuration), customerId, type, creatorId]);
    if (!row) throw new Error('The configuration was not inserted.');
    await this.insertFormats(row.id, formats);
    return row.id;
  }

  /** Replaces what may change; false when it is not in this version any more. */
  async update({ id, version }: PlayerConfiguration, changed: ChangeableConfiguration): Promise<boolean> {
    const { rowCount } = await this.database.query(UPDATE, [...columnsOf(changed), id, version]);
    if (!rowCount) return false;
    await this.database.query(CLEAR_FORMATS, [id]);
    await this.insertFormats(id, changed.formats);
    return true;
  }

  async handAutoGenerate(id: number, { lastEditorId, lastEditorSupportUserId }: Editor): Promise<void> {
    await this.database.query(HAND_AUTO_GENERATE, [id, lastEditorId, lastEditorSupportUserId]);
  }

  /** Takes a format out of all configurations; answers which had it. */
  async removeFormat(formatId: number): Promise<number[]> {
    await this.database.query(LOCK_WITH_FORMAT, [formatId]);
    return (await this.database.query<{ id: number }>(REMOVE_FORMAT, [formatId])).rows.map(({ id }) => id);
  }

  async delete(id: number): Promise<void> {
    await this.database.query(DELETE, [id]);
  }

  private async insertFormats(id: number, formats: readonly DeliveredFormat[]): Promise<void> {
    if (formats.length === 0) return;
    await this.database.query(INSERT_FORMATS, [
      id,
      formats.map(({ formatId }) => formatId),
      formats.map(({ downloadable }) => downloadable),
    ]);
  }
}

const columnsOf = (changed: ChangeableConfiguration): readonly unknown[] => [
  changed.name,
  changed.templateId,
  changed.width,
  changed.height,
  asJson(changed.configuration),
  asJson(changed.securitySettings),
  asJson(changed.settings),
  changed.autoGenerate,
  changed.lastEditorId,
  changed.lastEditorSupportUserId,
];

const asJson = (value: object | null): string | null => value && JSON.stringify(value);
