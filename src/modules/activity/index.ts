export { Activities, type NewActivity } from './activities.js';
export { Activity } from './activity.entity.js';
export { ActivityModule } from './activity.module.js';
