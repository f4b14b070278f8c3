import '../process/quiet-runtime-notice.js';

import { writeFileSync } from 'node:fs';
import { createApp } from '../app.js';
import { completeEnvironment } from '../embedded/complete-environment.js';
import { buildDocument } from '../openapi/build-document.js';
import { reportFailure } from '../process/run-until-end.js';
import { loadConfig } from '../shared/config/index.js';

/** `npm run openapi`: writes openapi.json (or the given file) from the build. */
async function write(file = 'openapi.json'): Promise<void> {
  const environment = await completeEnvironment(loadConfig());
  const app = await createApp({ ...environment.config, logLevel: 'silent', worker: 'off' });
  try {
    writeFileSync(file, `${JSON.stringify(buildDocument(app), null, 2)}\n`);
  } finally {
    await app.close();
    await environment.stop();
  }
}

write(process.argv[2]).catch(reportFailure);
