import { withClient } from './probe-server.js';

/** How many connections besides this one a server has, over all its databases. A program that came by asks this before it stops a server. */
export async function countOtherClients(url: string): Promise<number> {
  const sql = `select count(*)::int as others from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`;
  return withClient(url, async (client) => (await client.query<{ others: number }>(sql)).rows[0]?.others ?? 0);
}
