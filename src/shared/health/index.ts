export type { ConverterDetails, IsolationDetails } from './health.dto.js';
export { HealthModule } from './health.module.js';
export { ReadyDetailSources } from './ready-detail-sources.js';
