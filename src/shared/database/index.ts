export { connectionOptions } from './connection.js';
export { Database } from './database.js';
export { DatabaseModule } from './database.module.js';
export { runExclusively } from './exclusive.js';
export { IdPool } from './id-pool.js';
export { isDatabaseDown } from './is-database-down.js';
export { isUniqueViolation } from './is-unique-violation.js';
export { Notifications } from './notifications.js';
export { type Insertion, together } from './together.js';
