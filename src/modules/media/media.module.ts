import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/index.js';
import { AcceptedObjectsService } from './accepted-objects.service.js';
import { ChecksumsJob } from './checksums/checksums.job.js';
import { ChecksumsRepository } from './checksums/checksums.repository.js';
import { CustomerUsageController } from './customer-usage.controller.js';
import { FileDescriptionsRepository } from './file-descriptions.repository.js';
import { MediaFindsController } from './finds/media-finds.controller.js';
import { MediaFindsRepository } from './finds/media-finds.repository.js';
import { MediaFindsService } from './finds/media-finds.service.js';
import { ItemUrlsService } from './item-urls.service.js';
import { LostRenditions } from './lost-renditions.port.js';
import { MediaContainersController } from './media-containers.controller.js';
import { MediaContainersRepository } from './media-containers.repository.js';
import { MediaContainersService } from './media-containers.service.js';
import { MediaItemsRepository } from './media-items.repository.js';
import { MediaReaderRepository } from './media-reader.repository.js';
import { ContainerRemovalHooks, MediaRemovalHooks, MediaRemovalService } from './media-removal.service.js';
import { MediaRenditionsService } from './media-renditions.service.js';
import { NewMediaItemsRepository } from './new-media-items.repository.js';
import { PictureRemovalService } from './pictures/picture-removal.service.js';
import { PicturesRepository } from './pictures/pictures.repository.js';
import { SendersService } from './senders.service.js';
import { EmbeddedTracksService } from './tracks/embedded-tracks.service.js';
import { TrackConversionsService } from './tracks/track-conversions.service.js';
import { TracksController } from './tracks/tracks.controller.js';
import { TracksService } from './tracks/tracks.service.js';

/** Media containers and the files in them. */
@Module({
  imports: [AccountsModule],
  controllers: [CustomerUsageController, MediaFindsController, MediaContainersController, TracksController],
  providers: [
    AcceptedObjectsService,
    ChecksumsJob,
    ChecksumsRepository,
    ContainerRemovalHooks,
    FileDescriptionsRepository,
    ItemUrlsService,
    LostRenditions,
    MediaContainersRepository,
    MediaContainersService,
    MediaFindsRepository,
    MediaFindsService,
    MediaItemsRepository,
    MediaReaderRepository,
    MediaRemovalHooks,
    MediaRemovalService,
    MediaRenditionsService,
    NewMediaItemsRepository,
    PictureRemovalService,
    PicturesRepository,
    SendersService,
    EmbeddedTracksService,
    TrackConversionsService,
    TracksService,
  ],
  exports: [
    AcceptedObjectsService,
    ChecksumsJob,
    ChecksumsRepository,
    ContainerRemovalHooks,
    FileDescriptionsRepository,
    LostRenditions,
    MediaContainersService,
    MediaItemsRepository,
    MediaReaderRepository,
    MediaRemovalHooks,
    MediaRemovalService,
    MediaRenditionsService,
    NewMediaItemsRepository,
    PictureRemovalService,
    PicturesRepository,
    EmbeddedTracksService,
    TrackConversionsService,
    TracksService,
  ],
})
export class MediaModule {}
