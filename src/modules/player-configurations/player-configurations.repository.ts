import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import type { PlayerConfiguration } from './player-configuration.entity.js';

/** A format that a configuration delivers. */
export interface DeliveredFormat {
  readonly formatId: number;
  readonly downloadable: boolean;
}

/** A configuration with its formats in their order. */
export type DeliveredConfiguration = PlayerConfiguration & { readonly formats: readonly DeliveredFormat[] };

/** One statement for a configuration and its formats, so that they are always of the same moment. */
const SELECT = `SELECT c.id, c.customer_id AS "customerId", c.name, c.type, c.template_id AS "templateId", c.width, c.height, c.configuration,
    c.security_settings AS "securitySettings", c.settings, c.auto_generate AS "autoGenerate", c.version, c.creator_id AS "creatorId",
    c.last_editor_id AS "lastEditorId", c.created_at AS "createdAt", c.updated_at AS "updatedAt",
    coalesce((SELECT jsonb_agg(jsonb_build_object('formatId', f.format_id, 'downloadable', f.downloadable) ORDER BY f.position)
      FROM player_configuration_formats f WHERE f.player_configuration_id = c.id), '[]') AS formats
  FROM player_configurations c`;

const FIND = `${SELECT} WHERE c.id = $1`;

/** Every query on player configurations and their formats. */
@Injectable()
export class PlayerConfigurationsRepository {
  constructor(private readonly database: Database) {}

  async findById(id: number): Promise<DeliveredConfiguration | null> {
    return await this.database.queryOne<DeliveredConfiguration>(FIND, [id]);
  }
}
