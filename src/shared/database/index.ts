export { connectionOptions } from './connection.js';
export { Database } from './database.js';
export { DatabaseModule } from './database.module.js';
export { runExclusively } from './exclusive.js';
export { Notifications } from './notifications.js';
