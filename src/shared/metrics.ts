import type { IncomingMessage } from 'node:http';
import { collectDefaultMetrics, Gauge, Histogram, register } from 'prom-client';
import { SeriesCounter } from './counters.js';
import { hasProxyHeader, type Step } from './http/index.js';
import { equalInConstantTime } from './secrets/index.js';
import { isLoopback } from './validation/index.js';
import { VERSION } from './version.js';

const duration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time to answer a request, by route.',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});

/** In addition to `duration`: its series for a route and 500 begins with the first error, so an alert would not see that error. */
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

/** Answers the metrics of all processes as text; the only process by default, the cluster's primary when there are several. */
export type MetricsSource = () => Promise<string>;

let collecting = false;

/** Prometheus metrics of this process. */
export function startMetrics(): MetricsSource {
  if (!collecting) collectDefaultMetrics();
  collecting = true;
  return async () => await register.metrics();
}

/** Measures every request under the name of its route (never the raw path, whose values are without number). */
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

/** GET /metrics: to loopback (not through a proxy), or with METRICS_TOKEN as bearer. Anyone else gets what any unknown path gets. */
export function serveMetrics(source: MetricsSource, token: string): Step {
  return (request, response, next) => {
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') return next();
    if (!mayReadInternals(request, token)) return next();
    source().then((text) => {
      response.writeHead(200, { 'content-type': register.contentType, 'cache-control': 'no-store' });
      response.end(text);
    }, next);
  };
}

/** Whether a caller may see what is inside of the service: from loopback (not through a proxy), or with METRICS_TOKEN as bearer. */
export function mayReadInternals({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, token: string): boolean {
  const given = /^bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
  if (token && given !== undefined) return equalInConstantTime(given, token);
  return !hasProxyHeader(headers) && isLoopback(socket.remoteAddress ?? '');
}
