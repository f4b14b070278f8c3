// The process of the local object storage: `node main.js <folder> <host> <port>`, started by acquire-object-storage.ts, to which it reports by IPC.

import { LocalStorageError, startLocalStorage } from '@media-delivery/local-storage';
import { StartupError } from '../../shared/errors.js';
import { toStartupError } from '../data-directory.js';
import { type Announcement, ORIGIN_SECRET } from './acquire-object-storage.js';

const [dataDir = '', host = '', port = ''] = process.argv.slice(2);
const originSecret = process.env[ORIGIN_SECRET] || undefined; // not an argument, because other users of the machine could read it
const announce = (announcement: Announcement) => process.send?.(announcement);

// Ctrl-C in the terminal reaches this process too, but the service first finishes its last requests and then releases the storage.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
// The IPC channel closes when the parent ends for any reason, so this process never outlives it.
process.on('disconnect', () => process.exit(0));
if (process.connected === false) process.exit(0); // the parent ended while this program was loading

/** What to do in the words of the service's settings. */
const advice: Readonly<Partial<Record<LocalStorageError['reason'], string>>> = {
  production: 'with NODE_ENV=production set S3_BUCKET and STS_ROLE_ARN.',
  folder_in_use: 'stop it, or set DATA_DIR to another folder.',
  port_unusable: `choose another one for the local object storage, e.g. STORAGE_PORT=${Number(port) + 10}, or STORAGE_PORT=0 for any free one.`,
};

function explain(error: unknown): unknown {
  if (!(error instanceof LocalStorageError)) return toStartupError(error, dataDir);
  const known = advice[error.reason];
  return new StartupError(known ? `${error.fact}: ${known}` : error.message, { cause: error });
}

try {
  const { close, ...address } = await startLocalStorage({ dataDirectory: dataDir, host, port: Number(port), originSecret });
  process.on('SIGTERM', () => void close().finally(() => process.exit(0)));
  announce({ address });
} catch (error) {
  const explained = explain(error);
  if (!(explained instanceof StartupError)) throw explained;
  announce({ problem: explained.message });
  process.disconnect();
}
