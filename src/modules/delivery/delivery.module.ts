import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AccountsModule } from '../accounts/index.js';
import { ConverterModule } from '../converter/index.js';
import { FormatsModule } from '../formats/index.js';
import { ContainerPreviews } from '../library/index.js';
import { MediaModule } from '../media/index.js';
import { EmbedLinkPages, PlayerConfigurationsModule } from '../player-configurations/index.js';
import { StatisticsModule } from '../statistics/index.js';
import { ArchiveDownloadsRepository } from './download-links/archive/archive-downloads.repository.js';
import { ArchiveLayoutsRepository } from './download-links/archive/archive-layouts.repository.js';
import { ArchivePlacesService } from './download-links/archive/archive-places.service.js';
import { ArchiveStreamService } from './download-links/archive/archive-stream.service.js';
import { ArchivesController } from './download-links/archive/archives.controller.js';
import { ArchivesService } from './download-links/archive/archives.service.js';
import { DownloadLinksController } from './download-links/download-links.controller.js';
import { DownloadLinksRepository } from './download-links/download-links.repository.js';
import { DownloadLinksService } from './download-links/download-links.service.js';
import { DownloadOffersService } from './download-links/download-offers.service.js';
import { DownloadPageController } from './download-links/download-page.controller.js';
import { DeliveryExplanationsService } from './explain/delivery-explanations.service.js';
import { ExplainDeliveryController } from './explain/explain-delivery.controller.js';
import { BandwidthBudgetsRepository } from './files/bandwidth-budgets.repository.js';
import { FileStreamService } from './files/file-stream.service.js';
import { FilesController } from './files/files.controller.js';
import { FilesService } from './files/files.service.js';
import { PlaybackLeasesRepository } from './files/playback-leases.repository.js';
import { DeliveryGateService } from './gate/delivery-gate.service.js';
import { DeliveryPoliciesService } from './gate/delivery-policies.service.js';
import { DeliveryStatesService } from './gate/delivery-states.service.js';
import { ExtAuthController } from './gate/ext-auth.controller.js';
import { ExtAuthService } from './gate/ext-auth.service.js';
import { ViewerTokensService } from './gate/viewer-tokens.service.js';
import { ViewersService } from './gate/viewers.service.js';
import { EmbedLinkPagesService } from './pages/embed/embed-link-pages.service.js';
import { EmbedPageController } from './pages/embed/embed-page.controller.js';
import { EmbedPageService } from './pages/embed/embed-page.service.js';
import { EmbedSignInController } from './pages/embed/embed-sign-in.controller.js';
import { EmbedProgressController } from './pages/embed-progress.controller.js';
import { EmbedProgressService } from './pages/embed-progress.service.js';
import { OembedController } from './pages/oembed/oembed.controller.js';
import { OembedService } from './pages/oembed/oembed.service.js';
import { PreviewImagesService } from './pages/preview/preview-images.service.js';
import { StoryboardsController } from './pages/storyboards.controller.js';
import { StoryboardsService } from './pages/storyboards.service.js';
import { TextTracksService } from './pages/text-tracks.service.js';
import { ContainerPreviewsService } from './pictures/container-previews.service.js';
import { EmbedPicturesService } from './pictures/embed-pictures.service.js';
import { PictureSizeSelectionService } from './pictures/picture-size-selection.service.js';
import { PicturesController } from './pictures/pictures.controller.js';
import { PreviewTicketsService } from './pictures/preview-tickets.service.js';
import { FetchedPlaysService } from './plays/fetched-plays.service.js';
import { PlayReportsService } from './plays/play-reports.service.js';
import { PlaysController } from './plays/plays.controller.js';
import { PlaylistsService } from './streaming/playlists.service.js';
import { StreamingController } from './streaming/streaming.controller.js';

/** Delivery to viewers: embed links, files and download pages. */
@Module({
  imports: [AccessModule, AccountsModule, ConverterModule, FormatsModule, MediaModule, PlayerConfigurationsModule, StatisticsModule],
  controllers: [
    ArchivesController, // before DownloadPageController, whose files have ids where this route has a word
    DownloadLinksController,
    DownloadPageController,
    EmbedPageController,
    EmbedProgressController,
    EmbedSignInController,
    ExplainDeliveryController,
    ExtAuthController,
    FilesController,
    StreamingController,
    OembedController,
    PicturesController,
    PlaysController,
    StoryboardsController,
  ],
  providers: [
    ArchiveDownloadsRepository,
    ArchiveLayoutsRepository,
    ArchivePlacesService,
    ArchivesService,
    ArchiveStreamService,
    BandwidthBudgetsRepository,
    ContainerPreviewsService,
    DeliveryExplanationsService,
    DeliveryGateService,
    DeliveryPoliciesService,
    DeliveryStatesService,
    DownloadLinksService,
    DownloadLinksRepository,
    EmbedPageService,
    ExtAuthService,
    ViewerTokensService,
    FilesService,
    FetchedPlaysService,
    FileStreamService,
    OembedService,
    DownloadOffersService,
    EmbedProgressService,
    PlaybackLeasesRepository,
    EmbedPicturesService,
    PlaylistsService,
    PlayReportsService,
    PreviewImagesService,
    PreviewTicketsService,
    PictureSizeSelectionService,
    StoryboardsService,
    TextTracksService,
    ViewersService,
    { provide: ContainerPreviews, useExisting: ContainerPreviewsService },
    { provide: EmbedLinkPages, useClass: EmbedLinkPagesService },
  ],
  exports: [ContainerPreviews, DownloadLinksService, EmbedLinkPages],
})
export class DeliveryModule {}
