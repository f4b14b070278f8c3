import '../process/quiet-runtime-notice.js';

import { migrations } from '../../migrations/index.js';
import { completeEnvironment } from '../embedded/complete-environment.js';
import { reportFailure } from '../process/run-until-end.js';
import { loadConfig } from '../shared/config/index.js';
import { migrate, revertLast } from '../shared/database/migrate.js';
import { StartupError } from '../shared/errors.js';

/** `npm run migration:run` and `npm run migration:revert`, for DATABASE_URL or the embedded database. */
async function main(direction: string | undefined): Promise<void> {
  const work = { run: migrate, revert: revertLast }[direction ?? ''];
  if (!work) throw new StartupError('Use npm run migration:run or npm run migration:revert.');
  const environment = await completeEnvironment(loadConfig());
  try {
    await work(environment.config.databaseUrl, migrations);
    console.log(direction === 'run' ? 'The database is up to date.' : 'The newest migration was taken back.');
  } finally {
    await environment.stop();
  }
}

main(process.argv[2]).catch(reportFailure);
