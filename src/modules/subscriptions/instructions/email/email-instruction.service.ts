import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { countMail, Mailer, type MailOutcome } from '../../../../shared/mail/index.js';
import { QuotasService } from '../../../../shared/quotas/index.js';
import { isErasedAddress } from '../../../../shared/removal/index.js';
import { SubscriptionLogsRepository } from '../../logs/subscription-logs.repository.js';
import type { Attempt, InstructionRunner, Outcome } from '../instruction.js';
import { fillText } from '../placeholders.js';
import type { EmailInstructionDto } from './email-instruction.dto.js';
import { UnusableEmail } from './email-parameters.js';
import { EmailWriterService } from './email-writer.service.js';

/** The number of concurrent mails of one instruction: as many as the mailer has connections, so that none waits long behind the others. */
const MAX_CONCURRENT_MAILS = 5;

/** The outcome if the quota of mails is exceeded; the next attempt is on the next day. */
const QUOTA_EXCEEDED: MailOutcome = {
  accepted: false,
  statusCode: 429,
  reason: 'quota: the customer has reached its daily number of e-mails (mailsPerDay)',
};

const ACCEPTED: MailOutcome = { accepted: true, statusCode: 250, reason: null };

/** What the log stores about an attempt at an e-mail instruction. */
interface EmailLogPayload {
  readonly to: readonly string[];
  /** Null: no mail could be written. */
  readonly subject: string | null;
  readonly template?: string;
  /** In a failed attempt: the recipients that the mail has reached so far, in this attempt or an earlier one. */
  readonly reached?: readonly string[];
}

/** The mail to one recipient and its outcome. */
interface Delivery {
  readonly recipient: string;
  /** Null: the mail could not be written. */
  readonly subject: string | null;
  readonly outcome: MailOutcome;
  /** Whether another attempt would have the same outcome. */
  readonly final: boolean;
  /** The seconds until the quota is available again. */
  readonly retryAfterSeconds?: number;
}

/** Sends e-mails, one to each recipient. All attempts have the same message ids, so that receivers recognise repetitions (contract section 9). */
@Injectable()
export class EmailInstructionService implements InstructionRunner<EmailInstructionDto> {
  constructor(
    private readonly mailer: Mailer,
    private readonly writer: EmailWriterService,
    private readonly logs: SubscriptionLogsRepository,
    private readonly quotas: QuotasService,
  ) {}

  /**
   * Sends the mail to all recipients that it has not reached. Succeeds when it has reached all of them; otherwise the outcome is the first failure.
   */
  async run(attempt: Attempt<EmailInstructionDto>): Promise<Outcome> {
    const reached = await this.findReached(attempt);
    const limit = pLimit(MAX_CONCURRENT_MAILS);
    const deliveries = await Promise.all(attempt.instruction.to.map((_, n) => limit(async () => await this.deliver(attempt, n, reached))));
    return toOutcome(deliveries, attempt.instruction.template);
  }

  /**
   * The recipients that the mail has reached, so that a failure for one recipient does not repeat the mail to the others. Empty in the first attempt,
   * and after an attempt that reached all recipients: then this is a replay, which is sent to all of them again.
   */
  private async findReached({ attempt, instruction, messageId, subscription }: Attempt<EmailInstructionDto>): Promise<ReadonlySet<string>> {
    if (attempt === 1 || instruction.to.length === 1) return new Set();
    const payload = (await this.logs.findLatestPayload(subscription.id, messageId)) as Partial<EmailLogPayload> | null;
    return new Set(payload?.reached);
  }

  private async deliver(attempt: Attempt<EmailInstructionDto>, n: number, reached: ReadonlySet<string>): Promise<Delivery> {
    const { instruction, messageId, values } = attempt;
    const { customerId } = attempt.subscription;
    const recipient = fillText(instruction.to[n]?.recipient ?? '', values).trim();
    const language = instruction.to[n]?.language;
    try {
      const mail = this.writer.write(attempt, language ? fillText(language, values) : undefined);
      if (reached.has(recipient) || isErasedAddress(recipient))
        return { recipient, subject: mail.subject, outcome: ACCEPTED, final: false };
      if (!(await this.quotas.take(customerId, 'mailsPerDay', 1))) {
        return {
          recipient,
          subject: mail.subject,
          outcome: QUOTA_EXCEEDED,
          final: false,
          retryAfterSeconds: this.quotas.secondsUntilReset(),
        };
      }
      const outcome = await this.mailer.send({ ...mail, messageId: `${messageId}.${n + 1}`, to: recipient });
      countMail(outcome);
      if (!outcome.accepted) await this.quotas.charge(customerId, 'mailsPerDay', -1);
      return { recipient, subject: mail.subject, outcome, final: outcome.reason?.startsWith('recipient: ') ?? false };
    } catch (error) {
      if (!(error instanceof UnusableEmail)) throw error;
      return { recipient, subject: null, outcome: { accepted: false, statusCode: 0, reason: error.message }, final: true };
    }
  }
}

function toOutcome(deliveries: readonly Delivery[], template: string | undefined): Outcome {
  const to = deliveries.map(({ recipient }) => recipient);
  const subject = deliveries.find((one) => one.subject !== null)?.subject ?? null;
  const payload: EmailLogPayload = { to, subject, ...(template && { template }) };
  const failures = deliveries.filter(({ outcome }) => !outcome.accepted);
  const [first] = failures;
  if (!first) return { succeeded: true, statusCode: 250, reason: null, payload };
  const reached = deliveries.flatMap(({ recipient, outcome }) => (outcome.accepted ? [recipient] : []));
  return {
    succeeded: false,
    statusCode: first.outcome.statusCode,
    reason: first.outcome.reason,
    payload: reached.length > 0 ? { ...payload, reached } : payload,
    final: failures.every(({ final }) => final),
    ...(first.retryAfterSeconds !== undefined && { retryAfterSeconds: first.retryAfterSeconds }),
  };
}
