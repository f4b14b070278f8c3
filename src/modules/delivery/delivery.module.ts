import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AccountsModule } from '../accounts/index.js';
import { ConverterModule } from '../converter/index.js';
import { FormatsModule } from '../formats/index.js';
import { MediaModule } from '../media/index.js';
import { PlayerConfigurationsModule } from '../player-configurations/index.js';
import { DownloadLinksController } from './download-links/download-links.controller.js';
import { DownloadLinksRepository } from './download-links/download-links.repository.js';
import { DownloadLinks } from './download-links/download-links.service.js';
import { DownloadPageController } from './download-links/download-page.controller.js';
import { OfferedFiles } from './download-links/offered-files.service.js';
import { DeliveryExplanations } from './explain/delivery-explanations.js';
import { ExplainDeliveryController } from './explain/explain-delivery.controller.js';
import { ExtAuthController } from './ext-auth/ext-auth.controller.js';
import { ExtAuthService } from './ext-auth/ext-auth.service.js';
import { ExternalTokens } from './ext-auth/external-tokens.js';
import { ActiveUploads } from './files/active-uploads.js';
import { BandwidthBudgets } from './files/bandwidth-budgets.js';
import { FileStream } from './files/file-stream.js';
import { FilesController } from './files/files.controller.js';
import { FilesService } from './files/files.service.js';
import { PlaybackLeases } from './files/playback-leases.js';
import { DeliveryGate } from './gate/delivery-gate.js';
import { DeliveryPolicies } from './gate/delivery-policies.js';
import { ViewerPasses } from './gate/viewer-passes.js';
import { Viewers } from './gate/viewers.js';
import { EmbedPageController } from './pages/embed/embed-page.controller.js';
import { EmbedSignInController } from './pages/embed/embed-sign-in.controller.js';
import { EmbedViews } from './pages/embed/embed-views.js';
import { FileAdmission } from './pages/file-admission.js';
import { OembedController } from './pages/oembed/oembed.controller.js';
import { Oembed } from './pages/oembed/oembed.service.js';
import { PreviewImages } from './pages/preview/preview-images.js';
import { EmbedProgressController } from './pages/progress/embed-progress.controller.js';
import { Outlooks } from './pages/progress/outlooks.js';
import { Subtitles } from './pages/subtitles/subtitles.service.js';

/** What viewers get: embed links, files, download pages. */
@Module({
  imports: [AccessModule, AccountsModule, ConverterModule, FormatsModule, MediaModule, PlayerConfigurationsModule],
  controllers: [
    DownloadLinksController,
    DownloadPageController,
    EmbedPageController,
    EmbedProgressController,
    EmbedSignInController,
    ExplainDeliveryController,
    ExtAuthController,
    FilesController,
    OembedController,
  ],
  providers: [
    BandwidthBudgets,
    DeliveryExplanations,
    DeliveryGate,
    DeliveryPolicies,
    DownloadLinks,
    DownloadLinksRepository,
    EmbedViews,
    ExtAuthService,
    ExternalTokens,
    FileAdmission,
    ActiveUploads,
    FilesService,
    FileStream,
    Oembed,
    OfferedFiles,
    Outlooks,
    PlaybackLeases,
    PreviewImages,
    Subtitles,
    ViewerPasses,
    Viewers,
  ],
  exports: [DownloadLinks],
})
export class DeliveryModule {}
