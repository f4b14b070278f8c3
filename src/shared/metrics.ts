import type { IncomingMessage } from 'node:http';
import { collectDefaultMetrics, Gauge, Histogram, register } from 'prom-client';
import type { Config } from './config/index.js';
import { isFromThisMachine, type Step } from './http/index.js';
import { equalInConstantTime } from './secrets/index.js';
import { SeriesCounter } from './series-counter.js';
import { VERSION } from './version.js';

const duration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time to answer a request, by route.',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});

/** In addition to `duration`, whose series for a route and 500 begins with the first error, so that an alert would miss that error. */
const unexpectedErrors = new SeriesCounter({
  name: 'unexpected_errors_total',
  help: 'Requests that were answered with 500.',
  labels: [],
}).series({});

new Gauge({
  name: 'build_info',
  help: 'The version of the service, as a label; the value is always 1.',
  labelNames: ['version'] as const,
  aggregator: 'first',
}).set({ version: VERSION }, 1);

/** Returns the metrics of all processes as text: those of this process or, with several processes, those that the cluster's primary collects. */
export type MetricsSource = () => Promise<string>;

const START_TIME = 'process_start_time_seconds';
let collecting = false;

/** Starts collecting the Prometheus metrics of this process. */
export function startMetrics(): MetricsSource {
  if (!collecting) {
    collectDefaultMetrics();
    // With several web processes prom-client leaves the time of the start out; it changes when all of them start.
    Object.assign(register.getSingleMetric(START_TIME) ?? {}, { aggregator: 'min' });
  }
  collecting = true;
  return async () => await register.metrics();
}

/** Measures every request by its route pattern, because raw paths have unlimited values. */
export const measureRequests: Step = (request, response, next) => {
  response.once('close', () => {
    const seconds = Number(process.hrtime.bigint() - request.context.startedAt) / 1e9;
    duration.observe({ method: request.method ?? '', route: routeOf(request), status: response.statusCode }, seconds);
    if (response.statusCode === 500) unexpectedErrors.count += 1;
  });
  next();
};

const PROTOCOL =
  /^\/(v4\/(authorize|token|introspect|revoke|jwks|logout)|\.well-known\/(openid-configuration|oauth-authorization-server))(?=[/?]|$)/;

/** The pattern of the path; the path itself has unlimited values and may contain secrets. */
export function routeOf(request: IncomingMessage): string {
  const { route } = request as IncomingMessage & { route?: { path?: string } };
  return route?.path ?? PROTOCOL.exec(request.url ?? '')?.[0] ?? 'other';
}

type ReaderSettings = Pick<Config, 'metricsToken' | 'publicUrl' | 'trustProxy'>;

/** GET /metrics for callers that `mayReadInternals` accepts. Others get the response for an unknown path. */
export function serveMetrics(source: MetricsSource, config: ReaderSettings): Step {
  return (request, response, next) => {
    if (request.method !== 'GET' || !/^\/metrics\/?(\?|$)/.test(request.url ?? '')) return next();
    if (!mayReadInternals(request, config)) return next();
    source().then((text) => {
      response.writeHead(200, { 'content-type': register.contentType, 'cache-control': 'no-store' });
      response.end(text);
    }, next);
  };
}

/** Whether a caller may see internals of the service: from this machine, or with METRICS_TOKEN as bearer token. */
export function mayReadInternals(request: IncomingMessage, config: ReaderSettings): boolean {
  const given = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (config.metricsToken && given !== undefined) return equalInConstantTime(given, config.metricsToken);
  return isFromThisMachine(request, config);
}
