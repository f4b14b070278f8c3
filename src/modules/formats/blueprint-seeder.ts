import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { BLUEPRINTS } from './blueprints/blueprints.js';
import { compileAllowedParameters } from './command/compile-allowed-parameters.js';
import { FormatReader } from './format-reader.js';

const SEED = `INSERT INTO formats AS stored (blueprint_key, name, converter, usage, settings)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[])
  ON CONFLICT (blueprint_key) DO UPDATE SET name = excluded.name, converter = excluded.converter, usage = excluded.usage,
    settings = excluded.settings, updated_at = now()
  WHERE (stored.name, stored.converter, stored.usage, stored.settings)
    IS DISTINCT FROM (excluded.name, excluded.converter, excluded.usage, excluded.settings)
  RETURNING id`;

/** Brings the blueprints of this version into the database, once the service has started; unchanged ones cost one statement. */
@Injectable()
export class BlueprintSeeder implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly reader: FormatReader,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const { settings } of BLUEPRINTS) compileAllowedParameters(settings.allowedParameters ?? []);
    const values = [
      BLUEPRINTS.map(({ key }) => key),
      BLUEPRINTS.map(({ name }) => name),
      BLUEPRINTS.map(({ converter }) => converter),
      BLUEPRINTS.map(({ usage }) => usage),
      BLUEPRINTS.map(({ settings }) => JSON.stringify(settings)),
    ];
    const { rowCount } = await this.database.query(SEED, values);
    if (rowCount) await this.reader.changing(null, async () => {});
  }
}
