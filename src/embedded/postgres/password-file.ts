import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { StartupError } from '../../shared/errors/startup-error.js';
import type { ClusterPaths } from './cluster-paths.js';
import { errorCode } from './error-fields.js';

/** The superuser's password; made on the first start. Throws StartupError when there is data but its password is lost. */
export function readOrMakePassword(paths: ClusterPaths): string {
  const password = readPassword(paths);
  if (password !== null) return password;
  if (existsSync(paths.pgData)) {
    throw new StartupError(`${paths.passwordFile} is missing: bring it back from a backup, or start anew with \`npm run reset\`.`);
  }
  return makePassword(paths);
}

/** The superuser's password, or null when none was made yet. */
export function readPassword({ passwordFile }: ClusterPaths): string | null {
  try {
    return readFileSync(passwordFile, 'utf8').trim() || null;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function makePassword({ passwordFile }: ClusterPaths): string {
  const password = randomBytes(24).toString('base64url'); // needs no escaping in a URL
  const unfinished = `${passwordFile}.new`;
  writeFileSync(unfinished, `${password}\n`, { mode: 0o600, flush: true });
  renameSync(unfinished, passwordFile); // a kill in between leaves no half-written password
  return password;
}
