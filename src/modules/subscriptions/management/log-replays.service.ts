import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { generalErrors } from '../../../shared/errors/index.js';
import { LogReader } from '../logs/log-reader.js';
import { Replays } from '../runs/replays.js';
import { subscriptionErrors } from '../subscriptions.errors.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** What is sent once more because somebody wants it. */
@Injectable()
export class LogReplays {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly logs: LogReader,
    private readonly replays: Replays,
  ) {}

  /**
   * The try of a log entry, under the same message id. Throws `not_found`, `run_under_way`, `run_gone`, and `not_for_instructions`: what is
   * sent again is as deep as it was, so that nothing would end a chain of replays.
   */
  async replay(caller: Caller, { id, logId }: { readonly id: number; readonly logId: number }): Promise<{ messageId: string }> {
    if (caller.subscriptionId !== undefined) throw subscriptionErrors.not_for_instructions('An instruction may not send anything again.');
    await this.subscriptions.get(caller, id);
    const log = await this.logs.find(id, logId);
    if (!log) throw generalErrors.not_found(`The log of subscription ${id} has no entry ${logId}.`);
    const start = await this.replays.start(log);
    if (start === 'under_way') throw subscriptionErrors.run_under_way('It is being tried, or will be tried again soon; look into the log.');
    if (start === 'gone') throw subscriptionErrors.run_gone('Its event or its instruction is not kept any more.');
    return { messageId: log.messageId };
  }
}
