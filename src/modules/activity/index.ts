export { Activities, type Failure, type NewActivity, type NewestTranscoding, type Outcome } from './activities.js';
export { Activity, type ActivityType } from './activity.entity.js';
export { ActivityModule } from './activity.module.js';
export { ActivityCancellers, type CancelActivity } from './activity-cancellers.js';
export { ActivityRemarks, type RemarkOnActivities } from './activity-remarks.js';
export { ActivityResults } from './activity-results.js';
