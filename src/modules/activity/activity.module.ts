import { Module } from '@nestjs/common';
import { Activities } from './activities.js';
import { ActivitiesService } from './activities.service.js';
import { ActivityController } from './activity.controller.js';
import { ActivityCancellers } from './activity-cancellers.js';
import { ActivityRemarks } from './activity-remarks.js';
import { ActivityResults } from './activity-results.js';

/** Jobs that a caller can ask about. */
@Module({
  controllers: [ActivityController],
  providers: [Activities, ActivitiesService, ActivityCancellers, ActivityRemarks, ActivityResults],
  exports: [Activities, ActivityCancellers, ActivityRemarks, ActivityResults],
})
export class ActivityModule {}
