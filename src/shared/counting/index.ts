export { CountingService } from './counting.service.js';
export type { Counts } from './counts.js';
export { LinkUsesRepository } from './link-uses.repository.js';
export { LinkUsesService } from './link-uses.service.js';
