import '../process/quiet-runtime-notice.js';

import { reportFailure } from '../process/run-until-end.js';
import { explainFailure, run } from './run.js';

/** `npm run -s admin -- COMMAND`: provisions and administers the service. */
run(process.argv.slice(2)).catch((error: unknown) => reportFailure(explainFailure(error)));
