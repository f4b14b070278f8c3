import { Module } from '@nestjs/common';
import { EgressModule } from '../../shared/egress/index.js';
import { AccountsModule } from '../accounts/index.js';
import { DeliveryModule } from '../delivery/index.js';
import { DropsitesModule } from '../dropsites/index.js';
import { FormatsModule } from '../formats/index.js';
import { MediaModule } from '../media/index.js';
import { ApiRunner } from './instructions/api/api-runner.js';
import { InstructionAuthenticator } from './instructions/api/instruction-authenticator.js';
import { InstructionTokens } from './instructions/api/instruction-tokens.js';
import { OwnAddress } from './instructions/api/own-address.js';
import { OwnService } from './instructions/api/own-service.js';
import { EmailRunner } from './instructions/email/email-runner.js';
import { EmailWriter } from './instructions/email/email-writer.js';
import { ReachedRecipients } from './instructions/email/reached-recipients.js';
import { HttpsRunner } from './instructions/https/https-runner.js';
import { InstructionRunners } from './instructions/instruction-runners.js';
import { InstructionVault } from './instructions/instruction-vault.js';
import { LogReader } from './logs/log-reader.js';
import { DryRuns } from './management/dry-runs.service.js';
import { LogReplays } from './management/log-replays.service.js';
import { ShownSubscriptions } from './management/shown-subscriptions.js';
import { SubscriptionsController } from './management/subscriptions.controller.js';
import { SubscriptionsRepository } from './management/subscriptions.repository.js';
import { SubscriptionsService } from './management/subscriptions.service.js';
import { DueRuns } from './runs/due-runs.js';
import { InstructionTries } from './runs/instruction-tries.js';
import { Replays } from './runs/replays.js';
import { RunDispatcher } from './runs/run-dispatcher.js';
import { RunPlanner } from './runs/run-planner.js';
import { RunQueue } from './runs/run-queue.js';
import { RunRetention } from './runs/run-retention.js';
import { TryRecords } from './runs/try-records.js';
import { ArrivedFileRuns } from './templates/arrived-file-runs.js';
import { DownloadLinkTemplate } from './templates/download-link-template.js';
import { DropsiteUploadTemplate } from './templates/dropsite-upload-template.js';
import { SubscriptionTemplates } from './templates/subscription-templates.js';

/** Events that act: who wants to know of an event, and what is done then. */
@Module({
  imports: [AccountsModule, DeliveryModule, DropsitesModule, EgressModule, FormatsModule, MediaModule],
  controllers: [SubscriptionsController],
  providers: [
    ApiRunner,
    ArrivedFileRuns,
    DownloadLinkTemplate,
    DropsiteUploadTemplate,
    DryRuns,
    DueRuns,
    EmailRunner,
    EmailWriter,
    HttpsRunner,
    InstructionAuthenticator,
    InstructionRunners,
    InstructionTokens,
    InstructionTries,
    InstructionVault,
    LogReader,
    LogReplays,
    OwnAddress,
    OwnService,
    ReachedRecipients,
    Replays,
    RunDispatcher,
    RunPlanner,
    RunQueue,
    RunRetention,
    ShownSubscriptions,
    SubscriptionsRepository,
    SubscriptionsService,
    SubscriptionTemplates,
    TryRecords,
  ],
})
export class SubscriptionsModule {}
