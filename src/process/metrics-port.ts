import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../shared/config/index.js';
import { beginRequest, pipeline } from '../shared/http/index.js';
import type { Log } from '../shared/logging/index.js';
import { serveMetrics, startMetrics } from '../shared/metrics.js';
import { explainListenFailure } from './find-port.js';

/** Serves /metrics on METRICS_PORT if it is set, to the same callers as on the service's port. Returns a function that stops it. */
export async function openMetricsPort(config: Config, log: Log, source = startMetrics()): Promise<() => Promise<void>> {
  const { metricsPort, host } = config;
  if (metricsPort === null) return async () => {};
  const steps = pipeline([beginRequest(config, log), serveMetrics(source, config)], (err, _request, response) => {
    log.error({ err }, 'metrics could not be collected');
    answer(response, 500, 'The metrics could not be collected; the log has the reason.');
  });
  const server = createServer(steps(refuse));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explainListenFailure(error, host, metricsPort, 'METRICS_PORT')));
    server.listen({ host, port: metricsPort, exclusive: true }, resolve);
  });
  log.info({ host, port: (server.address() as AddressInfo).port }, 'metrics are served');
  return async () => {
    server.close();
    server.closeAllConnections();
  };
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  if (request.url?.split('?', 1)[0] !== '/metrics') answer(response, 404, 'This port serves GET /metrics only.');
  else answer(response, 401, 'Metrics are served to this machine under its own name, and to others with METRICS_TOKEN as bearer token.');
}

function answer(response: ServerResponse, status: number, text: string): void {
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...challenge }).end(`${text}\n`);
}
