import pLimit from 'p-limit';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { connectionOptions, type Entities } from './connection.js';

export interface Drift {
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/** The statements that would bring a migrated database to what the entities declare; none when migrations and entities agree. */
export async function describeDrift(databaseUrl: string, entities: Entities): Promise<Drift> {
  const options = connectionOptions(databaseUrl);
  const source = await new DataSource({ ...options, extra: { ...options.extra, Client: SequentialClient }, entities }).initialize();
  try {
    const { upQueries, downQueries } = await source.driver.createSchemaBuilder().log();
    return { up: upQueries.map(({ query }) => query), down: downQueries.map(({ query }) => query).reverse() };
  } finally {
    await source.destroy();
  }
}

/** TypeORM's schema builder sends statements at once on one connection, which pg warns of and will refuse; here they wait for each other. */
class SequentialClient extends pg.Client {
  constructor(options: pg.ClientConfig) {
    super(options);
    const limit = pLimit(1);
    const query = this.query.bind(this) as (...statement: unknown[]) => Promise<unknown>;
    this.query = (async (...statement: unknown[]) => await limit(async () => await query(...statement))) as typeof this.query;
  }
}
