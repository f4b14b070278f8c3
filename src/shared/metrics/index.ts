export { type MetricsSource, mayReadInternals, measureRequests, serveMetrics, startMetrics } from './metrics.js';
