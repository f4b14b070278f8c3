import { chmodSync, mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isRoot } from './is-root.js';

/** Private to the user who runs the service; as root the server itself runs as `nobody`, who has to pass through (but not list). */
const modeOfNewDataDir = () => (isRoot() ? 0o711 : 0o700);

/** Makes the data directory if it is missing and returns its absolute path without symbolic links. Throws the file system's error. */
export function ensureDataDir(dataDir: string): string {
  const wanted = path.resolve(dataDir);
  const made = mkdirSync(wanted, { recursive: true, mode: modeOfNewDataDir() });
  // mkdir's mode is cut by the umask. A folder that was there before keeps the mode its owner gave it.
  if (made !== undefined) chmodSync(wanted, modeOfNewDataDir());
  return realpathSync(wanted);
}
