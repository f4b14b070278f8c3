import { Module } from '@nestjs/common';
import { Activities } from './activities.js';
import { ActivitiesService } from './activities.service.js';
import { ActivityController } from './activity.controller.js';
import { ActivityCancellers } from './activity-cancellers.js';
import { ActivityRemarks } from './activity-remarks.js';

/** Jobs that a caller can ask about. */
@Module({
  controllers: [ActivityController],
  providers: [Activities, ActivitiesService, ActivityCancellers, ActivityRemarks],
  exports: [Activities, ActivityCancellers, ActivityRemarks],
})
export class ActivityModule {}
