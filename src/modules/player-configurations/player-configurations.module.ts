import { Module } from '@nestjs/common';
import { FormatsModule } from '../formats/index.js';
import { MediaModule } from '../media/index.js';
import { DestroyedFormats } from './destroyed-formats.js';
import { EmbedLinkGenerator } from './embed-links/embed-link-generator.js';
import { EmbedLinkMaker } from './embed-links/embed-link-maker.js';
import { EmbedLinkReader } from './embed-links/embed-link-reader.js';
import { EmbedLinksController } from './embed-links/embed-links.controller.js';
import { EmbedLinksRepository } from './embed-links/embed-links.repository.js';
import { EmbedLinks } from './embed-links/embed-links.service.js';
import { ConfigurationReferences } from './management/configuration-references.js';
import { PlayerConfigurationDestroyer } from './management/player-configuration-destroyer.js';
import { PlayerConfigurationsController } from './management/player-configurations.controller.js';
import { PlayerConfigurationsService } from './management/player-configurations.service.js';
import { PlayerConfigurationReader } from './player-configuration-reader.js';
import { PlayerConfigurationsRepository } from './player-configurations.repository.js';
import { RulesInForce } from './rules-in-force.js';

/** Player configurations and the embed links that use them: one boundary, because moving, destroying and creating lock the same rows. */
@Module({
  imports: [FormatsModule, MediaModule],
  controllers: [PlayerConfigurationsController, EmbedLinksController],
  providers: [
    ConfigurationReferences,
    DestroyedFormats,
    EmbedLinkGenerator,
    EmbedLinkMaker,
    EmbedLinkReader,
    EmbedLinks,
    EmbedLinksRepository,
    PlayerConfigurationDestroyer,
    PlayerConfigurationReader,
    PlayerConfigurationsRepository,
    PlayerConfigurationsService,
    RulesInForce,
  ],
  exports: [EmbedLinkReader, EmbedLinks, PlayerConfigurationReader, RulesInForce],
})
export class PlayerConfigurationsModule {}
