// The process of the local object storage: `node main.js <folder> <host> <port>`, started by acquire-object-storage.ts, to which it reports by IPC.

import { StartupError } from '../../shared/errors.js';
import { ORIGIN_SECRET } from './settings.js';
import { startObjectStorage } from './start-object-storage.js';

/** What the parent receives. */
export type Announcement = { readonly endpoint: string } | { readonly problem: string };

const [dataDir = '', host = '', port = ''] = process.argv.slice(2);
const originSecret = process.env[ORIGIN_SECRET] || undefined; // arguments could be read by other users of the machine
const announce = (announcement: Announcement) => process.send?.(announcement);

// Ctrl-C in the terminal is for the service, which lets its last requests end before it releases the storage.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
// The channel closes when the parent ends, however that happens: nothing is left behind.
process.on('disconnect', () => process.exit(0));
if (process.connected === false) process.exit(0); // it ended while this program was being loaded

try {
  const storage = await startObjectStorage({ dataDir, host, port: Number(port), originSecret });
  process.on('SIGTERM', () => void storage.close().finally(() => process.exit(0)));
  announce({ endpoint: storage.endpoint });
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  announce({ problem: error.message });
  process.disconnect();
}
