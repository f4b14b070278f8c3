export { connectionOptions, isForeignKeyViolation, isUniqueViolation } from './connection.js';
export { countUpTo } from './count-up-to.js';
export { Database } from './database.js';
export { DatabaseModule } from './database.module.js';
export { asJsonBytes, IdPool, type Insertion, insertIfAbsent, together } from './insertions.js';
export { isOneOf } from './is-one-of.js';
export { Notifications } from './notifications.js';
export { inPortions, type Portion } from './portions.js';
export { type Selection, selectTogether } from './selections.js';
