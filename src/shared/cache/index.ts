export { CacheModule } from './cache.module.js';
export { Caches } from './caches.js';
export type { Cached, NotifiedCache } from './notified-cache.js';
