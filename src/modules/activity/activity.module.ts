import { Module } from '@nestjs/common';
import { ActivitiesRepository } from './activities.repository.js';
import { ActivitiesService } from './activities.service.js';
import { ActivityController } from './activity.controller.js';
import { ActivityHandlers } from './activity-handlers.port.js';

/** Jobs that a caller can ask about. */
@Module({
  controllers: [ActivityController],
  providers: [ActivitiesRepository, ActivitiesService, ActivityHandlers],
  exports: [ActivitiesRepository, ActivityHandlers],
})
export class ActivityModule {}
