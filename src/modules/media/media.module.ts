import { Module } from '@nestjs/common';
import { MediaContainersController } from './media-containers.controller.js';
import { MediaContainersRepository } from './media-containers.repository.js';
import { MediaContainersService } from './media-containers.service.js';
import { MediaIntake } from './media-intake.js';

/** Media containers and the files in them. */
@Module({
  controllers: [MediaContainersController],
  providers: [MediaContainersRepository, MediaContainersService, MediaIntake],
  exports: [MediaIntake],
})
export class MediaModule {}
