import { readFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from './error-fields.js';

/** The port of the last server on a data directory, as PostgreSQL keeps it (postmaster.opts, also after a kill); 0 when there was none. */
export function readLastPort(pgData: string): number {
  try {
    const options = readFileSync(path.join(pgData, 'postmaster.opts'), 'utf8');
    return Number(/"port=(\d{1,5})"/.exec(options)?.[1] ?? 0);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}
