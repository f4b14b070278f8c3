export { ActivitiesRepository, type Failure, type NewActivity, type NewestTranscoding, type Outcome } from './activities.repository.js';
export { Activity, type ActivityType } from './activity.entity.js';
export { ActivityModule } from './activity.module.js';
export { type ActivityHandler, ActivityHandlers } from './activity-handlers.port.js';
