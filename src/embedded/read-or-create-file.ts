import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode, toStartupError } from './postgres/to-startup-error.js';
import { withStartLock } from './postgres/with-start-lock.js';

/**
 * The content of a file of DATA_DIR that only its owner may read (mode 0600), by `make` the first time. Programs that start at the same
 * moment get the same. Throws StartupError when the folder cannot be used.
 */
export async function readOrCreateFile(dataDir: string, name: string, make: () => string): Promise<string> {
  try {
    return await withStartLock(dataDir, async (folder) => readOrMake(path.join(folder, name), make));
  } catch (error) {
    throw toStartupError(error, dataDir);
  }
}

function readOrMake(file: string, make: () => string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  const content = make();
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, `${content}\n`, { mode: 0o600, flush: true });
  renameSync(unfinished, file); // whole or not at all
  return content;
}
