import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/index.js';
import { MediaModule } from '../media/index.js';
import { CustomerUsageController } from './customer-usage.controller.js';
import { MediaFindsController } from './finds/media-finds.controller.js';
import { MediaFindsRepository } from './finds/media-finds.repository.js';
import { MediaFindsService } from './finds/media-finds.service.js';
import { ItemUrlsService } from './item-urls.service.js';
import { MediaContainersController } from './media-containers.controller.js';
import { MediaContainersService } from './media-containers.service.js';
import { SendersService } from './senders.service.js';
import { TracksController } from './tracks/tracks.controller.js';
import { TracksService } from './tracks/tracks.service.js';

/** What the users of a customer do with its media: find, read and change containers and their tracks. */
@Module({
  imports: [AccountsModule, MediaModule],
  controllers: [CustomerUsageController, MediaFindsController, MediaContainersController, TracksController],
  providers: [ItemUrlsService, MediaContainersService, MediaFindsRepository, MediaFindsService, SendersService, TracksService],
  exports: [MediaContainersService],
})
export class LibraryModule {}
