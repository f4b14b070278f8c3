// The process of the local object storage: `node main.js <folder> <host> <port>`, started by acquire-object-storage.ts, to which it reports by IPC.

import { StartupError } from '../../shared/errors.js';
import { ORIGIN_SECRET } from './settings.js';
import { startObjectStorage } from './start-object-storage.js';

/** The message that the parent process receives. */
export type Announcement = { readonly endpoint: string } | { readonly problem: string };

const [dataDir = '', host = '', port = ''] = process.argv.slice(2);
const originSecret = process.env[ORIGIN_SECRET] || undefined; // not an argument, because other users of the machine could read it
const announce = (announcement: Announcement) => process.send?.(announcement);

// Ctrl-C in the terminal reaches this process too, but the service first finishes its last requests and then releases the storage.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
// The IPC channel closes when the parent ends for any reason, so this process never outlives it.
process.on('disconnect', () => process.exit(0));
if (process.connected === false) process.exit(0); // the parent ended while this program was loading

try {
  const storage = await startObjectStorage({ dataDir, host, port: Number(port), originSecret });
  process.on('SIGTERM', () => void storage.close().finally(() => process.exit(0)));
  announce({ endpoint: storage.endpoint });
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  announce({ problem: error.message });
  process.disconnect();
}
