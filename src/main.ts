import './process/quiet-runtime-notice.js';

import cluster from 'node:cluster';
import { reportFailure } from './process/run-until-end.js';

/** `npm start`: the first process prepares the database and serves requests itself, or forks processes that do (WEB_CONCURRENCY). */
async function main(): Promise<void> {
  if (cluster.isPrimary) await (await import('./process/supervise.js')).supervise();
  else await (await import('./process/serve.js')).serveAsWorker();
}

main().catch(reportFailure);
