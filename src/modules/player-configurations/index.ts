export { EmbedLink, type EmbedLinkFlag } from './embed-links/embed-link.entity.js';
export { PlayerConfiguration } from './player-configuration.entity.js';
export { PlayerConfigurationFormat } from './player-configuration-format.entity.js';
export { PlayerConfigurationsModule } from './player-configurations.module.js';
export type * from './security-settings.js';
