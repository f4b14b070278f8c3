import { type DynamicModule, Global, Module } from '@nestjs/common';
import { entities } from './entities.js';
import { AccessModule } from './modules/access/index.js';
import { AccountsModule } from './modules/accounts/index.js';
import { ActivityModule } from './modules/activity/index.js';
import { ConsoleModule } from './modules/console/index.js';
import { ConverterModule } from './modules/converter/index.js';
import { DeliveryModule } from './modules/delivery/index.js';
import { DropsitesModule } from './modules/dropsites/index.js';
import { FormatsModule } from './modules/formats/index.js';
import { LibraryModule } from './modules/library/index.js';
import { MediaModule } from './modules/media/index.js';
import { OauthModule } from './modules/oauth/index.js';
import { PlayerConfigurationsModule } from './modules/player-configurations/index.js';
import { SamlModule } from './modules/saml/index.js';
import { StatisticsModule } from './modules/statistics/index.js';
import { SubscriptionsModule } from './modules/subscriptions/index.js';
import { UploadsModule } from './modules/uploads/index.js';
import type { Config } from './shared/config/index.js';
import { DatabaseModule } from './shared/database/index.js';
import { EventsModule } from './shared/events/index.js';
import { JobsModule } from './shared/jobs/index.js';
import { KernelModule } from './shared/kernel.module.js';
import type { Log } from './shared/logging/index.js';
import { MailModule } from './shared/mail/index.js';
import { StorageModule } from './shared/storage/index.js';
import { StartPageController } from './start-page/start-page.controller.js';

/** Modules that implement ports of lower ones, which cannot import them: everything that they export is available to all modules. */
const IMPLEMENTING = [ConverterModule, DeliveryModule, DropsitesModule, OauthModule, SamlModule, SubscriptionsModule];

@Global()
@Module({ imports: IMPLEMENTING, exports: IMPLEMENTING })
class PortsModule {}

/** The whole service. The most frequently called modules come first, because Express tries routes in the order of their modules. */
@Module({})
export class AppModule {
  static for(config: Config, log: Log): DynamicModule {
    return {
      module: AppModule,
      imports: [
        KernelModule.for(config, log),
        DatabaseModule.for(entities),
        JobsModule,
        EventsModule,
        StorageModule,
        UploadsModule,
        DeliveryModule,
        AccountsModule,
        AccessModule,
        SamlModule,
        OauthModule,
        ActivityModule,
        MediaModule,
        LibraryModule,
        FormatsModule,
        PlayerConfigurationsModule,
        DropsitesModule,
        StatisticsModule,
        SubscriptionsModule,
        ConverterModule,
        ConsoleModule,
        MailModule,
        PortsModule,
      ],
      controllers: [StartPageController],
    };
  }
}
