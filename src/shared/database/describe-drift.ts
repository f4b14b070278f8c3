import pLimit from 'p-limit';
import type { Pool, PoolClient } from 'pg';
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
    sendOneByOne(source);
    const { upQueries, downQueries } = await source.driver.createSchemaBuilder().log();
    return { up: upQueries.map(({ query }) => query), down: downQueries.map(({ query }) => query).reverse() };
  } finally {
    await source.destroy();
  }
}

/** TypeORM's schema builder sends statements at once on one connection, which pg warns of and will refuse; here they wait for each other. */
function sendOneByOne({ driver }: DataSource): void {
  const { master } = driver as unknown as { master: Pool };
  const changed = new WeakSet<PoolClient>();
  master.on('acquire', (client) => {
    if (changed.has(client)) return;
    changed.add(client);
    const limit = pLimit(1);
    const query = client.query.bind(client) as (...statement: unknown[]) => Promise<unknown>;
    client.query = (async (...statement: unknown[]) => await limit(async () => await query(...statement))) as typeof client.query;
  });
}
