import { Module } from '@nestjs/common';
import { AcceptedObjects } from './accepted-objects.js';
import { ArrivedFiles } from './arrived-files.js';
import { CustomerUsageController } from './customer-usage.controller.js';
import { DuplicateFinder } from './duplicate-finder.js';
import { MediaContainersController } from './media-containers.controller.js';
import { MediaContainersRepository } from './media-containers.repository.js';
import { MediaContainersService } from './media-containers.service.js';
import { MediaIntake } from './media-intake.js';
import { MediaInventory } from './media-inventory.js';
import { MediaReader } from './media-reader.js';
import { MediaRenditions } from './media-renditions.js';
import { ContainerRemovalListeners } from './removal/container-removal-listener.js';
import { MediaContainerDestruction } from './removal/media-container-destruction.js';
import { MediaRemoval } from './removal/media-removal.js';
import { MediaRemovalListeners } from './removal/media-removal-listener.js';
import { SupersededMedia } from './removal/superseded-media.js';

/** Media containers and the files in them. */
@Module({
  controllers: [CustomerUsageController, MediaContainersController],
  providers: [
    AcceptedObjects,
    ArrivedFiles,
    ContainerRemovalListeners,
    DuplicateFinder,
    MediaContainerDestruction,
    MediaContainersRepository,
    MediaContainersService,
    MediaIntake,
    MediaInventory,
    MediaReader,
    MediaRemoval,
    MediaRemovalListeners,
    MediaRenditions,
    SupersededMedia,
  ],
  exports: [
    AcceptedObjects,
    ArrivedFiles,
    ContainerRemovalListeners,
    DuplicateFinder,
    MediaIntake,
    MediaInventory,
    MediaReader,
    MediaRemoval,
    MediaRemovalListeners,
    MediaRenditions,
  ],
})
export class MediaModule {}
