export { Activities, type NewActivity, type Outcome } from './activities.js';
export { Activity } from './activity.entity.js';
export { ActivityModule } from './activity.module.js';
