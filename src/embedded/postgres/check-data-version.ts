import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { StartupError } from '../../shared/errors/startup-error.js';
import { errorCode } from './error-fields.js';

/**
 * Whether there is data that PostgreSQL `major` can read; false when it is still to be made.
 * Throws StartupError when the folder holds another major version's data or something else.
 */
export function hasUsableData(pgData: string, major: number): boolean {
  const version = readVersion(pgData);
  if (version === null) return false;
  if (version === String(major)) return true;
  throw new StartupError(
    `${pgData} was made by PostgreSQL ${version}, this is ${major}: dump it with the old version and restore it, move the folder away to start anew, or set DATABASE_URL.`,
  );
}

function readVersion(pgData: string): string | null {
  try {
    return readFileSync(path.join(pgData, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  if (isMissingOrEmpty(pgData)) return null;
  throw new StartupError(`${pgData} is not a PostgreSQL data directory: move it away, or set DATA_DIR to another folder.`);
}

function isMissingOrEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  }
}
