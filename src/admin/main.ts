import '../process/quiet-runtime-notice.js';

import { reportFailure } from '../process/report-failure.js';
import { explainFailure, run } from './run.js';

/** `npm run -s admin -- COMMAND`: provisions and administers the service. */
run(process.argv.slice(2)).catch((error: unknown) => reportFailure(explainFailure(error)));
