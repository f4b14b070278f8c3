/** What a worker is made of, and takes long to load. */
export { ToolboxService } from '../modules/converter/index.js';
export { migrate } from '../shared/database/migrate.js';
export { serve, stopServing } from './serve.js';
