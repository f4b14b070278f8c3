import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { migrations } from './migrations/index.js';
import { entities } from './src/entities.js';
import { loadConfig } from './src/shared/config/index.js';
import { connectionOptions } from './src/shared/database/connection.js';

/** For TypeORM's own command line: `npx typeorm -d dist/ormconfig.js …` with DATABASE_URL. The service itself does not use it. */
export default new DataSource({ ...connectionOptions(loadConfig().databaseUrl), entities, migrations });
