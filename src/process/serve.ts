import cluster from 'node:cluster';
import type { RequestListener, Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../app.js';
import { type Config, loadConfig } from '../shared/config/index.js';
import { createLog, type Log } from '../shared/logging/index.js';
import { startMetrics } from '../shared/metrics.js';
import { StorageHealthService } from '../shared/storage/index.js';
import { joinClusterMetrics } from './cluster-metrics.js';
import { explainListenFailure } from './find-port.js';
import { onEnd } from './run-until-end.js';

/** Responses that exceed the grace period have been cut off by then; background jobs and the database need a little longer. */
const BEYOND_GRACE_SECONDS = 5;
const CLOSE_IDLE_EVERY_MS = 50;
const READINESS_PATH = '/health/ready';
/**
 * Behind a proxy: how long a stopping process still accepts connections and leaves closing idle ones to the proxy, because the proxy might
 * send a request on a connection just as the service closes it. Longer than `keepalive_timeout` of the upstream in
 * docs/operations-install.md.
 */
const DRAIN_MS = 3_000;

interface ServeOptions {
  /** Whether this is one of several forked processes. */
  readonly clustered: boolean;
  /** What is done before the first request is accepted. If it throws, the process does not serve. */
  readonly prepare?: (app: NestExpressApplication) => Promise<void>;
}

/** Serves requests in this process until it is told to stop. */
export async function serve(config: Config, log: Log, { clustered, prepare }: ServeOptions): Promise<NestExpressApplication> {
  const metrics = startMetrics();
  const app = await createApp(config, { log, metrics: clustered ? joinClusterMetrics() : metrics });
  try {
    await app.init();
    await prepare?.(app);
    await app.listen(config.port, config.host);
  } catch (error) {
    await app.close();
    throw isListenFailure(error) ? explainListenFailure(error, config.host, config.port) : error;
  }
  // With several processes, only the first one warns.
  if (!clustered || cluster.worker?.id === 1) void app.get(StorageHealthService).warn();
  return app;
}

const isListenFailure = (error: unknown): boolean => (error as { syscall?: unknown } | null)?.syscall === 'listen';

type StopSettings = Pick<Config, 'shutdownGraceSeconds' | 'trustProxy'>;

/** Accepts no new connections, lets current requests finish within SHUTDOWN_GRACE_SECONDS, then closes everything. */
export async function stopServing(app: NestExpressApplication, { shutdownGraceSeconds, trustProxy }: StopSettings): Promise<void> {
  const server: Server = app.getHttpServer();
  const graceMs = shutdownGraceSeconds * 1_000;
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  answerLastRequests(server);
  if (trustProxy) await delay(Math.min(DRAIN_MS, graceMs / 2));
  const allAnswered = new Promise((resolve) => server.close(resolve));
  // Otherwise a connection would stay open after its last response.
  const tidying = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await allAnswered;
  clearInterval(tidying);
  clearTimeout(deadline);
  await app.close();
}

/** From now on, each response closes its connection and the process reports not ready, so that load balancers use other processes. */
function answerLastRequests(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    response.setHeader('connection', 'close');
    if (request.url !== READINESS_PATH) for (const listener of listeners) listener(request, response);
    else response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify({ status: 'down' }));
  });
}

/** Serves requests in a forked process, whose environment the supervisor has completed. */
export async function serveAsWorker(): Promise<void> {
  const config = loadConfig();
  const log = createLog({ level: config.logLevel, service: config.serviceName, format: config.logFormat });
  // Signals of the terminal reach all processes; the supervisor passes them on as SIGTERM.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
  const app = await serve(config, log, { clustered: true });
  onEnd({
    log,
    signals: ['SIGTERM'],
    withinSeconds: config.shutdownGraceSeconds + BEYOND_GRACE_SECONDS,
    stop: async () => await stopServing(app, config),
  });
}
