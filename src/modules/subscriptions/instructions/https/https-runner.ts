import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EgressClient, EgressFailure, type EgressResult } from '../../../../shared/egress/index.js';
import { Clock } from '../../../../shared/time/index.js';
import type { HttpsInstruction } from '../instruction.js';
import type { Attempt, InstructionRunner, Outcome } from '../instruction-runner.js';
import { InstructionRunners } from '../instruction-runners.js';
import { fillUrl } from '../placeholders.js';
import { fillHeaders } from './fill-headers.js';
import { httpsBody } from './https-body.js';
import { leadsElsewhere } from './leads-elsewhere.js';
import { parseRetryAfter } from './parse-retry-after.js';
import { signWebhook } from './sign-webhook.js';

const GONE = 410;

const ELSEWHERE = new EgressFailure('invalid url', 'a value in the path of the URL is . or .., which would lead elsewhere');

/** Asks other services, signed as Standard Webhooks ask (contract section 9). */
@Injectable()
export class HttpsRunner implements InstructionRunner<HttpsInstruction>, OnModuleInit {
  readonly type = 'https';

  constructor(
    private readonly runners: InstructionRunners,
    private readonly egress: EgressClient,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.runners.register(this);
  }

  async run(attempt: Attempt<HttpsInstruction>): Promise<Outcome> {
    const { instruction, messageId, subscription, values } = attempt;
    const { body, payload } = httpsBody(attempt);
    const headers = fillHeaders(instruction.headers ?? {}, values);
    if (headers instanceof EgressFailure) return { succeeded: false, statusCode: 0, reason: headers.toString(), payload };
    const url = fillUrl(instruction.url, values);
    if (leadsElsewhere(instruction.url, url)) return { succeeded: false, statusCode: 0, reason: ELSEWHERE.toString(), payload };
    const timestamp = Math.floor(this.clock.now().getTime() / 1_000);
    const result = await this.egress.send({
      url,
      method: instruction.method ?? 'POST',
      headers: {
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...headers,
        ...signWebhook({ id: messageId, timestamp, body }, subscription.signingSecret),
      },
      body,
    });
    return { ...this.outcomeOf(result), payload };
  }

  private outcomeOf({ statusCode, failure, retryAfter }: EgressResult): Omit<Outcome, 'payload'> {
    if (!failure) return { succeeded: true, statusCode, reason: null };
    if (statusCode === GONE) return { succeeded: false, statusCode, reason: `${failure} and wants no more of this message`, final: true };
    const retryAfterSeconds = retryAfter === null ? undefined : parseRetryAfter(retryAfter, this.clock.now());
    return { succeeded: false, statusCode, reason: failure.toString(), ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  }
}
