import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AccountsModule } from '../accounts/index.js';
import { FormatsModule } from '../formats/index.js';
import { MediaModule } from '../media/index.js';
import { PlayerConfigurationsModule } from '../player-configurations/index.js';
import { DownloadLinksController } from './download-links/download-links.controller.js';
import { DownloadLinksRepository } from './download-links/download-links.repository.js';
import { DownloadLinks } from './download-links/download-links.service.js';
import { DownloadPageController } from './download-links/download-page.controller.js';
import { OfferedFiles } from './download-links/offered-files.service.js';
import { ExternalTokens } from './ext-auth/external-tokens.js';
import { DeliveryGate } from './gate/delivery-gate.js';
import { DeliveryPolicies } from './gate/delivery-policies.js';
import { RulesInForce } from './gate/rules-in-force.js';
import { Viewers } from './gate/viewers.js';
import { FileAdmission } from './pages/file-admission.js';

/** What viewers get: embed links, files, download pages. */
@Module({
  imports: [AccessModule, AccountsModule, FormatsModule, MediaModule, PlayerConfigurationsModule],
  controllers: [DownloadLinksController, DownloadPageController],
  providers: [
    DeliveryGate,
    DeliveryPolicies,
    DownloadLinks,
    DownloadLinksRepository,
    ExternalTokens,
    FileAdmission,
    RulesInForce,
    Viewers,
    OfferedFiles,
  ],
  exports: [DownloadLinks],
})
export class DeliveryModule {}
