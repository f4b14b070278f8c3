export { CountingService } from './counting.service.js';
export type { Counts } from './counts.js';
export { LinkUsesService } from './link-uses.service.js';
