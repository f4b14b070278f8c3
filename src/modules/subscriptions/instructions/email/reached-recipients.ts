import { Injectable } from '@nestjs/common';
import { SubscriptionLogsRepository } from '../../logs/subscription-logs.repository.js';
import type { Attempt } from '../instruction.js';
import type { EmailInstructionDto } from './email-instruction.dto.js';

/** What the log keeps of an attempt at an e-mail instruction. */
export interface EmailLogPayload {
  readonly to: readonly string[];
  /** Null: no mail could be written. */
  readonly subject: string | null;
  readonly template?: string;
  /** Of a failed attempt: the recipients that the mail has reached by now, in this attempt or an earlier one. */
  readonly reached?: readonly string[];
}

/** Finds the recipients that a mail has reached, so that a failure of one recipient does not repeat the mail to the others. */
@Injectable()
export class ReachedRecipients {
  constructor(private readonly logs: SubscriptionLogsRepository) {}

  /** Empty in the first attempt, and after one that reached everyone: then this is a replay, which goes to all of them again. */
  async find({ attempt, instruction, messageId, subscription }: Attempt<EmailInstructionDto>): Promise<ReadonlySet<string>> {
    if (attempt === 1 || instruction.to.length === 1) return new Set();
    const payload = (await this.logs.findLatestPayload(subscription.id, messageId)) as Partial<EmailLogPayload> | null;
    return new Set(payload?.reached);
  }
}
