import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../config/index.js';
import { compareAnyDocument, type Entities, serviceConnectionOptions } from './connection.js';
import { Database } from './database.js';
import { DatabaseMetricsService } from './database-metrics.service.js';
import { Notifications } from './notifications.js';

/** Provides the connection pool, with the entities that the root module passes in. */
@Global()
@Module({})
export class DatabaseModule {
  static for(entities: Entities): DynamicModule {
    compareAnyDocument();
    const connection = TypeOrmModule.forRootAsync({
      inject: [Config],
      useFactory: (config: Config) => ({ ...serviceConnectionOptions(config.databaseUrl), entities, retryAttempts: 5, retryDelay: 1_000 }),
    });
    const providers = [Database, DatabaseMetricsService, Notifications];
    return { module: DatabaseModule, imports: [connection], providers, exports: providers };
  }
}
