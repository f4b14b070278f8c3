import { Module } from '@nestjs/common';
import { EgressModule } from '../../shared/egress/index.js';
import { LongWork } from '../../shared/removal/index.js';
import { AccountsModule } from '../accounts/index.js';
import { DeliveryModule } from '../delivery/index.js';
import { DropsitesModule } from '../dropsites/index.js';
import { FormatsModule } from '../formats/index.js';
import { MediaModule } from '../media/index.js';
import { DryRunsService } from './dry-runs.service.js';
import { InstructionAuthenticationService } from './instructions/api/instruction-authentication.service.js';
import { InstructionTokensService } from './instructions/api/instruction-tokens.service.js';
import { LoopbackService } from './instructions/api/loopback.service.js';
import { EmailWriterService } from './instructions/email/email-writer.service.js';
import { INSTRUCTION_RUNNER_PROVIDERS, InstructionRunnersService } from './instructions/instruction-kinds.js';
import { SubscriptionSecretsService } from './instructions/subscription-secrets.service.js';
import { SubscriptionLogsRepository } from './logs/subscription-logs.repository.js';
import { InstructionAttemptsService } from './runs/instruction-attempts.service.js';
import { ReplaysRepository } from './runs/replays.repository.js';
import { ReplaysService } from './runs/replays.service.js';
import { RunAttemptsRepository } from './runs/run-attempts.repository.js';
import { RunPlannerListener } from './runs/run-planner.listener.js';
import { RunPlanningRepository } from './runs/run-planning.repository.js';
import { SubscriptionRunsRepository } from './runs/subscription-runs.repository.js';
import { SubscriptionRunsWorker } from './runs/subscription-runs.worker.js';
import { SubscriptionResponsesService } from './subscription-responses.service.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { ArrivedFileRunsJob } from './templates/arrived-file-runs.job.js';
import { DownloadLinkTemplateService } from './templates/download-link-template.service.js';
import { DropsiteUploadTemplateService } from './templates/dropsite-upload-template.service.js';
import { SubscriptionTemplatesService } from './templates/subscription-templates.service.js';

/** Subscriptions: determines which subscriptions an event concerns, and carries out their instructions. */
@Module({
  imports: [AccountsModule, DeliveryModule, DropsitesModule, EgressModule, FormatsModule, MediaModule],
  controllers: [SubscriptionsController],
  providers: [
    ...INSTRUCTION_RUNNER_PROVIDERS,
    ArrivedFileRunsJob,
    DownloadLinkTemplateService,
    DropsiteUploadTemplateService,
    DryRunsService,
    EmailWriterService,
    InstructionAttemptsService,
    InstructionAuthenticationService,
    InstructionRunnersService,
    InstructionTokensService,
    SubscriptionSecretsService,
    LoopbackService,
    ReplaysRepository,
    ReplaysService,
    RunAttemptsRepository,
    RunPlannerListener,
    RunPlanningRepository,
    SubscriptionLogsRepository,
    SubscriptionResponsesService,
    SubscriptionRunsRepository,
    SubscriptionRunsWorker,
    SubscriptionsRepository,
    SubscriptionsService,
    SubscriptionTemplatesService,
    { provide: LongWork, useExisting: SubscriptionRunsRepository },
  ],
  exports: [LongWork],
})
export class SubscriptionsModule {}
