export type { ConverterDetails } from './health.dto.js';
export { HealthModule } from './health.module.js';
export { ReadyDetailSources } from './ready-detail-sources.js';
