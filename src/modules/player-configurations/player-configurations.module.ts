import { Module } from '@nestjs/common';
import { FormatsModule } from '../formats/index.js';
import { MediaModule } from '../media/index.js';
import { EmbedLinkReader } from './embed-links/embed-link-reader.js';
import { EmbedLinksRepository } from './embed-links/embed-links.repository.js';
import { EmbedLinks } from './embed-links/embed-links.service.js';
import { OauthClientDirectory } from './oauth-client-directory.js';
import { PlayerConfigurationReader } from './player-configuration-reader.js';
import { PlayerConfigurationsRepository } from './player-configurations.repository.js';

/** Player configurations and the embed links that use them. */
@Module({
  imports: [FormatsModule, MediaModule],
  providers: [
    EmbedLinkReader,
    EmbedLinks,
    EmbedLinksRepository,
    OauthClientDirectory,
    PlayerConfigurationReader,
    PlayerConfigurationsRepository,
  ],
  exports: [EmbedLinkReader, EmbedLinks, OauthClientDirectory, PlayerConfigurationReader],
})
export class PlayerConfigurationsModule {}
