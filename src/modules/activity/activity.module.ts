import { Module } from '@nestjs/common';
import { ActivitiesRepository } from './activities.repository.js';
import { ActivitiesService } from './activities.service.js';
import { ActivityController } from './activity.controller.js';
import { ActivityHandlers } from './activity-handlers.port.js';

/** Provides the jobs that callers can query. */
@Module({
  controllers: [ActivityController],
  providers: [ActivitiesRepository, ActivitiesService, ActivityHandlers],
  exports: [ActivitiesRepository, ActivityHandlers],
})
export class ActivityModule {}
