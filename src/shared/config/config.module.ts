import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Config } from './config.js';

/** Makes the one Config of this process injectable everywhere. */
@Global()
@Module({})
export class ConfigModule {
  static for(config: Config): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: Config, useValue: config }], exports: [Config] };
  }
}
