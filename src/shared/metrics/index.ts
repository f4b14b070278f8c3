export { type MetricsSource, measureRequests, serveMetrics, startMetrics } from './metrics.js';
