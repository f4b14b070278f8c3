import { Module } from '@nestjs/common';
import { AcceptedObjectsService } from './accepted-objects.service.js';
import { ChecksumsJob } from './checksums/checksums.job.js';
import { ChecksumsRepository } from './checksums/checksums.repository.js';
import { FileDescriptionsRepository } from './file-descriptions.repository.js';
import { FirstFactsService } from './first-facts.service.js';
import { LostRenditions } from './lost-renditions.port.js';
import { MediaContainersRepository } from './media-containers.repository.js';
import { MediaItemsRepository } from './media-items.repository.js';
import { MediaReaderRepository } from './media-reader.repository.js';
import { ContainerRemovalHooks, MediaRemovalHooks, MediaRemovalService } from './media-removal.service.js';
import { MediaRenditionsService } from './media-renditions.service.js';
import { NewMediaItemsRepository } from './new-media-items.repository.js';
import { PictureRemovalService } from './pictures/picture-removal.service.js';
import { PicturesRepository } from './pictures/pictures.repository.js';
import { EmbeddedTracksService } from './tracks/embedded-tracks.service.js';
import { TrackConversionsService } from './tracks/track-conversions.service.js';
import { TrackUploadsService } from './tracks/track-uploads.service.js';

/** The store of media containers, their files, pictures and tracks; what clients do with them is in the modules above, first of all the library. */
@Module({
  providers: [
    AcceptedObjectsService,
    ChecksumsJob,
    ChecksumsRepository,
    ContainerRemovalHooks,
    FileDescriptionsRepository,
    FirstFactsService,
    LostRenditions,
    MediaContainersRepository,
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
    TrackUploadsService,
  ],
  exports: [
    MediaContainersRepository,
    AcceptedObjectsService,
    ChecksumsJob,
    ChecksumsRepository,
    ContainerRemovalHooks,
    FileDescriptionsRepository,
    FirstFactsService,
    LostRenditions,
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
    TrackUploadsService,
  ],
})
export class MediaModule {}
