export { Config, loadConfig } from './config.js';
export type { RateLimit, RateLimitName, RateLimits } from './rate-limits.js';
export { environmentName, settings } from './settings.js';
