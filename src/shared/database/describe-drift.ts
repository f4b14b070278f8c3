import { DataSource } from 'typeorm';
import { connectionOptions, type Entities } from './connection.js';

export interface Drift {
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/** The statements that would bring a migrated database to what the entities declare; none when migrations and entities agree. */
export async function describeDrift(databaseUrl: string, entities: Entities): Promise<Drift> {
  const source = await new DataSource({ ...connectionOptions(databaseUrl), entities }).initialize();
  try {
    const { upQueries, downQueries } = await source.driver.createSchemaBuilder().log();
    return { up: upQueries.map(({ query }) => query), down: downQueries.map(({ query }) => query).reverse() };
  } finally {
    await source.destroy();
  }
}
