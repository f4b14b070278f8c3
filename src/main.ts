import cluster from 'node:cluster';
import { reportFailure } from './process/report-failure.js';
import { serveAsWorker } from './process/serve.js';
import { supervise } from './process/supervise.js';

/** `npm start`: the first process prepares the database and answers requests itself, or forks the processes that do (WEB_CONCURRENCY). */
const program = cluster.isPrimary ? supervise() : serveAsWorker();
program.catch(reportFailure);
