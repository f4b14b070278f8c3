import { realpathSync } from 'node:fs';
import pg from 'pg';
import { StartupError } from '../../shared/errors/startup-error.js';
import type { ClusterPaths } from './cluster-paths.js';
import { errorCode, errorMessage } from './error-fields.js';

/** Enough for a loaded machine; a port on which something silent listens must not hold up the start. */
const ANSWER_WITHIN_MS = 5_000;

/** The address of a database of the cluster, for example postgres://platform:…@127.0.0.1:41234/platform. */
export function databaseUrl(port: number, password: string, database = 'platform'): string {
  return `postgres://platform:${password}@127.0.0.1:${port}/${database}`;
}

/** Runs `work` on one connection, which it closes. Throws what pg throws. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_WITHIN_MS, query_timeout: ANSWER_WITHIN_MS });
  // A connection lost between two queries: the next query reports it, and an unheard 'error' event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Tries once whether our server answers on a port: null when it does (the database `platform` is made if missing), otherwise why not yet.
 * Throws StartupError when waiting cannot help.
 */
export async function probeServer(port: number, password: string, paths: ClusterPaths): Promise<string | null> {
  try {
    const dataDirectory = await withClient(databaseUrl(port, password), readDataDirectory);
    return realpathSync(dataDirectory) === paths.pgData ? null : `another server (${dataDirectory}) listens on port ${port}`;
  } catch (error) {
    if (errorCode(error) === '3D000') return createDatabase(port, password).catch(errorMessage);
    if (errorCode(error) === '28P01') throw wrongPassword(paths);
    return errorMessage(error);
  }
}

async function readDataDirectory(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ data_directory: string }>('show data_directory');
  return rows[0]?.data_directory ?? '';
}

/** The first start's second half; a launcher killed before it is made up for by the next one. */
async function createDatabase(port: number, password: string): Promise<string> {
  await withClient(databaseUrl(port, password, 'postgres'), (client) => client.query('create database platform'));
  return 'the database was made just now';
}

function wrongPassword({ passwordFile, pgData }: ClusterPaths): StartupError {
  return new StartupError(
    `The password in ${passwordFile} does not fit the data in ${pgData}: bring the file back, or start anew with \`npm run reset\`.`,
  );
}
