export { Config, loadConfig } from './config.js';
export { RATE_LIMIT_NAMES, type RateLimit, type RateLimitName, type RateLimits } from './rate-limits.js';
export { serverUrls } from './setting.js';
export { environmentName, settings } from './settings.js';
