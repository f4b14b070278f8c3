export { CurrentRulesService } from './current-rules.service.js';
export { EmbedLink, type EmbedLinkFlag } from './embed-links/embed-link.entity.js';
export { EmbedLinkCacheService } from './embed-links/embed-link-cache.service.js';
export { EmbedLinksService } from './embed-links/embed-links.service.js';
export type { DeliveredConfiguration, DeliveredFormat } from './player-configuration.entity.js';
export { PlayerConfiguration, PlayerConfigurationFormat } from './player-configuration.entity.js';
export { PlayerConfigurationCacheService } from './player-configuration-cache.service.js';
export { PlayerConfigurationsModule } from './player-configurations.module.js';
export type * from './settings/stored-settings.js';
