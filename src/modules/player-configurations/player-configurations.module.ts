import { Module } from '@nestjs/common';
import { FormatsModule } from '../formats/index.js';
import { MediaModule } from '../media/index.js';
import { ConfigurationReferencesService } from './configuration-references.service.js';
import { CurrentRulesService } from './current-rules.service.js';
import { DestroyedFormatsListener } from './destroyed-formats.listener.js';
import { EmbedLinksController } from './embed-links/embed-links.controller.js';
import { EmbedLinksListener } from './embed-links/embed-links.listener.js';
import { EmbedLinksRepository } from './embed-links/embed-links.repository.js';
import { EmbedLinksService } from './embed-links/embed-links.service.js';
import { PlayerConfigurationCacheService } from './player-configuration-cache.service.js';
import { PlayerConfigurationRemovalService } from './player-configuration-removal.service.js';
import { PlayerConfigurationsController } from './player-configurations.controller.js';
import { PlayerConfigurationsRepository } from './player-configurations.repository.js';
import { PlayerConfigurationsService } from './player-configurations.service.js';

/** Player configurations and the embed links that use them: one module, because creating, moving and destroying them lock the same rows. */
@Module({
  imports: [FormatsModule, MediaModule],
  controllers: [PlayerConfigurationsController, EmbedLinksController],
  providers: [
    ConfigurationReferencesService,
    DestroyedFormatsListener,
    EmbedLinksListener,
    EmbedLinksService,
    EmbedLinksRepository,
    PlayerConfigurationRemovalService,
    PlayerConfigurationCacheService,
    PlayerConfigurationsRepository,
    PlayerConfigurationsService,
    CurrentRulesService,
  ],
  exports: [EmbedLinksService, PlayerConfigurationCacheService, CurrentRulesService],
})
export class PlayerConfigurationsModule {}
