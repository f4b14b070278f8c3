import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../app.js';
import { type Config, loadConfig } from '../shared/config/index.js';
import { createLog } from '../shared/logging/index.js';
import { startMetrics } from '../shared/metrics/index.js';
import { metricsOfCluster } from './cluster-metrics.js';
import { onStop } from './on-stop.js';

/** Answers requests in this process until it is told to stop. */
export async function serve(config: Config, options: { clustered: boolean }): Promise<NestExpressApplication> {
  const log = createLog({ level: config.logLevel, service: config.serviceName });
  const metrics = startMetrics();
  const app = await createApp(config, { log, metrics: options.clustered ? metricsOfCluster : metrics });
  await app.listen(config.port, config.host);
  return app;
}

/** Stops taking connections, lets requests under way end within SHUTDOWN_GRACE_SECONDS, then closes everything. */
export async function stopServing(app: NestExpressApplication, { shutdownGraceSeconds }: Config): Promise<void> {
  const server = app.getHttpServer();
  const deadline = setTimeout(() => server.closeAllConnections(), shutdownGraceSeconds * 1000);
  server.closeIdleConnections();
  await app.close();
  clearTimeout(deadline);
}

/** A forked process: its environment was completed by the supervisor. */
export async function serveAsWorker(): Promise<void> {
  const config = loadConfig();
  const app = await serve(config, { clustered: true });
  onStop(async () => {
    await stopServing(app, config);
    process.exit(0); // the channel to the supervisor would keep the process alive
  });
}
