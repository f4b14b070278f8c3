import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { ApiInstruction } from '../instruction.js';
import type { Attempt, InstructionRunner, Outcome } from '../instruction-runner.js';
import { InstructionRunners } from '../instruction-runners.js';
import { fillPlaceholders, fillUrl, type PlaceholderValues } from '../placeholders.js';
import { type ApiPath, apiPath } from './api-path.js';
import { InstructionTokens } from './instruction-tokens.js';
import { OwnAddress } from './own-address.js';
import { type OwnAnswer, OwnService } from './own-service.js';
import { refusalReason } from './refusal-reason.js';
import { type Expectation, unmetExpectation } from './unmet-expectation.js';

const EXPECTATION_FAILED = 417;
/** Characters of JSON that a run keeps of one answer: no placeholder could put in more (see placeholders.ts), and each try opens all of it. */
const MOST_KEPT = 262_144;
const TOO_LONG = `result: the answer has more than ${MOST_KEPT} characters, too many to keep under a name`;

/** Calls this service, with the present rights of the user who last wrote the subscription (contract section 9). */
@Injectable()
export class ApiRunner implements InstructionRunner<ApiInstruction>, OnModuleInit, OnApplicationShutdown {
  readonly type = 'api';

  constructor(
    private readonly runners: InstructionRunners,
    private readonly tokens: InstructionTokens,
    private readonly address: OwnAddress,
    private readonly service: OwnService,
  ) {}

  onModuleInit(): void {
    this.runners.register(this);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.service.close();
  }

  async run(attempt: Attempt<ApiInstruction>): Promise<Outcome> {
    const { instruction, values } = attempt;
    const payload = fillPlaceholders(instruction.payload ?? {}, values);
    const path = filledPath(instruction, values);
    const origin = this.address.find();
    if (!path) return failed(0, `path: ${instruction.path} is no address below v5/`, payload);
    if (origin === null) return failed(0, 'internal: the process that carries this out serves no requests', payload);
    const answer = await this.call(attempt, { origin, path, payload });
    return { ...outcomeOf(answer, attempt, path), payload };
  }

  private async call(
    { instruction, messageId, event, subscription }: Attempt<ApiInstruction>,
    { origin, path, payload }: { origin: string; path: ApiPath; payload: unknown },
  ): Promise<OwnAnswer> {
    const { id: subscriptionId, lastEditorId: userId } = subscription;
    return await this.service.call({
      url: `${origin}/${path.path}${path.query}`,
      method: instruction.method,
      token: this.tokens.issue({ userId, subscriptionId, depth: event.depth + 1, rootEventId: event.rootEventId }),
      messageId,
      body: instruction.payload === undefined ? null : JSON.stringify(payload),
    });
  }
}

/** Null where it is no address, and where a value is nothing at its end: without the id it would be that of another operation. */
function filledPath({ path: template }: ApiInstruction, values: PlaceholderValues): ApiPath | null {
  const found = apiPath(fillUrl(template, values));
  return found?.path.endsWith('/') && !template.split('?', 1)[0]?.endsWith('/') ? null : found;
}

function outcomeOf(
  answer: OwnAnswer,
  { instruction, subscription, values }: Attempt<ApiInstruction>,
  { path }: ApiPath,
): Omit<Outcome, 'payload'> {
  if ('failure' in answer) return { succeeded: false, statusCode: 0, reason: `${answer.failure.code}: ${path} ${answer.failure.words}` };
  const { statusCode, body, retryAfterSeconds } = answer;
  if (statusCode < 200 || statusCode > 299) {
    const reason = refusalReason({ method: instruction.method, path, statusCode, answer: body, userId: subscription.lastEditorId });
    return { succeeded: false, statusCode, reason, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  }
  const expected = fillPlaceholders(instruction.expected ?? [], values) as Expectation[];
  const unmet = unmetExpectation(
    body,
    expected.map(({ value }, index) => ({ path: instruction.expected?.[index]?.path ?? '', value })),
  );
  if (unmet !== null) return { succeeded: false, statusCode: EXPECTATION_FAILED, reason: `expectation: ${unmet}` };
  const result = instruction.as === undefined ? undefined : { name: instruction.as, value: body };
  if (result && JSON.stringify(body).length > MOST_KEPT) return { succeeded: false, statusCode, reason: TOO_LONG, final: true };
  return { succeeded: true, statusCode, reason: null, ...(result && { result }) };
}

const failed = (statusCode: number, reason: string, payload: unknown): Outcome => ({ succeeded: false, statusCode, reason, payload });
