import type { Log } from '../logging/index.js';
import type { Step } from './pipeline.js';

/** Probes and metrics are asked every few seconds and would fill the log with nothing. */
const QUIET = /^\/(health|metrics|assets)(\/|$)/;

/** One line per request when it has been answered. The query is left out: it may carry codes and tokens. */
export function logRequests(log: Log): Step {
  if (!log.isLevelEnabled('info')) return (_request, _response, next) => next();
  return (request, response, next) => {
    const path = request.url?.split('?', 1)[0] ?? ''; // now: a router may rewrite the URL
    if (QUIET.test(path)) return next();
    response.once('close', () => {
      const { id, clientAddress, startedAt } = request.context;
      const durationMs = Number(process.hrtime.bigint() - startedAt) / 1e6;
      log.info({ requestId: id, method: request.method, path, status: response.statusCode, clientAddress, durationMs }, 'request');
    });
    next();
  };
}
