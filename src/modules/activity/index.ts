export { Activities, type Failure, type NewActivity, type Outcome } from './activities.js';
export { Activity, type ActivityType } from './activity.entity.js';
export { ActivityModule } from './activity.module.js';
