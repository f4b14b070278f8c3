import './process/quiet-runtime-notice.js';

import { reportFailure } from './process/run-until-end.js';

/** `npm run worker`: runs only background jobs, for machines that serve no requests. */
async function main(): Promise<void> {
  await (await import('./process/work.js')).work();
}

main().catch(reportFailure);
