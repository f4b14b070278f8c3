export type { DeliveredConfiguration, DeliveredFormat } from './delivered-configuration.js';
export { EmbedLink, type EmbedLinkFlag } from './embed-links/embed-link.entity.js';
export { EmbedLinkReader } from './embed-links/embed-link-reader.js';
export { EmbedLinks } from './embed-links/embed-links.service.js';
export { PlayerConfiguration } from './player-configuration.entity.js';
export { PlayerConfigurationFormat } from './player-configuration-format.entity.js';
export { PlayerConfigurationReader } from './player-configuration-reader.js';
export { PlayerConfigurationsModule } from './player-configurations.module.js';
export type * from './settings/security-settings.js';
