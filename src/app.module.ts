import { type DynamicModule, Module } from '@nestjs/common';
import { entities } from './entities.js';
import { AccessModule } from './modules/access/index.js';
import { AccountsModule } from './modules/accounts/index.js';
import { ActivityModule } from './modules/activity/index.js';
import { ConverterModule } from './modules/converter/index.js';
import { DeliveryModule } from './modules/delivery/index.js';
import { DropsitesModule } from './modules/dropsites/index.js';
import { FormatsModule } from './modules/formats/index.js';
import { MediaModule } from './modules/media/index.js';
import { OauthModule } from './modules/oauth/index.js';
import { PlayerConfigurationsModule } from './modules/player-configurations/index.js';
import { SamlModule } from './modules/saml/index.js';
import { SubscriptionsModule } from './modules/subscriptions/index.js';
import { UploadsModule } from './modules/uploads/index.js';
import { AuditModule } from './shared/audit/index.js';
import { AuthModule } from './shared/auth/index.js';
import { CacheModule } from './shared/cache/index.js';
import { type Config, ConfigModule } from './shared/config/index.js';
import { DatabaseModule } from './shared/database/index.js';
import { EventsModule } from './shared/events/index.js';
import { HealthModule } from './shared/health/index.js';
import { HttpModule } from './shared/http/index.js';
import { IdempotencyModule } from './shared/idempotency/index.js';
import { JobsModule } from './shared/jobs/index.js';
import { type Log, LoggingModule } from './shared/logging/index.js';
import { MailModule } from './shared/mail/index.js';
import { QuotasModule } from './shared/quotas/index.js';
import { SecretsModule } from './shared/secrets/index.js';
import { StorageModule } from './shared/storage/index.js';
import { TimeModule } from './shared/time/index.js';
import { WebModule } from './shared/web/index.js';

/**
 * The whole service. AuthModule stands before HttpModule, because global guards run in the order of their modules; what is called most
 * stands first of the others, because Express tries one route after the other in the order of their modules.
 */
@Module({})
export class AppModule {
  static for(config: Config, log: Log): DynamicModule {
    const kernel = [
      ConfigModule.for(config),
      LoggingModule.for(log),
      DatabaseModule.for(entities),
      TimeModule,
      CacheModule,
      QuotasModule,
      SecretsModule,
      AuditModule,
      JobsModule,
      EventsModule,
      StorageModule,
      AuthModule,
      HttpModule,
      IdempotencyModule,
      WebModule,
      HealthModule,
    ];
    return {
      module: AppModule,
      imports: [
        ...kernel,
        UploadsModule,
        DeliveryModule,
        AccountsModule,
        AccessModule,
        SamlModule,
        OauthModule,
        ActivityModule,
        MediaModule,
        FormatsModule,
        PlayerConfigurationsModule,
        DropsitesModule,
        SubscriptionsModule,
        ConverterModule,
        MailModule,
      ],
    };
  }
}
