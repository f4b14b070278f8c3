import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { Config } from '../config/index.js';
import { HealthChecksService } from '../health/health-checks.service.js';
import { MailboxAdapter } from './mailbox.adapter.js';
import { Mailer, UnavailableMailer } from './mailer.port.js';
import { MailboxController } from './page/mailbox.controller.js';
import { SmtpMailerAdapter } from './smtp-mailer.adapter.js';

function chooseMailer(config: Config, mailbox: MailboxAdapter, checks: HealthChecksService): Mailer {
  if (config.smtpUrl) return new SmtpMailerAdapter(config, (works) => checks.noteOutcome('mail', works));
  return config.nodeEnv === 'production' ? new UnavailableMailer() : mailbox;
}

/** Provides the mailer: the server of SMTP_URL; without it the mailbox at /dev/mail, or in production a mailer that only reports failure. */
@Global()
@Module({
  controllers: [MailboxController],
  providers: [MailboxAdapter, { provide: Mailer, inject: [Config, MailboxAdapter, HealthChecksService], useFactory: chooseMailer }],
  exports: [Mailer],
})
export class MailModule implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly mailer: Mailer,
    private readonly checks: HealthChecksService,
  ) {}

  /** A check signs in at the server, which may limit how often that is allowed. Sent e-mails show sooner whether it works. */
  onModuleInit(): void {
    if (!this.config.smtpUrl) return;
    this.checks.register('mail', {
      maxAgeSeconds: 60,
      recheckSeconds: 15,
      isWarning: true,
      findProblem: async () => await this.mailer.findProblem(),
    });
  }
}
