import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Attempt, InstructionRunner, Outcome } from '../instruction.js';
import { fillPlaceholders, fillUrl, type PlaceholderValues } from '../placeholders.js';
import type { ApiInstructionDto } from './api-instruction.dto.js';
import { type ApiPath, apiPath } from './api-path.js';
import { InstructionTokens } from './instruction-tokens.js';
import { judgeAnswer } from './judge-answer.js';
import { findOwnOrigin, type LoopbackAnswer, LoopbackClient } from './loopback-client.js';

/** Calls this service, with the present rights of the user who last edited the subscription (contract section 9). */
@Injectable()
export class ApiRunner implements InstructionRunner<ApiInstructionDto>, OnApplicationShutdown {
  constructor(
    private readonly tokens: InstructionTokens,
    private readonly host: HttpAdapterHost,
    private readonly client: LoopbackClient,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }

  async run(attempt: Attempt<ApiInstructionDto>): Promise<Outcome> {
    const { instruction, values } = attempt;
    const payload = fillPlaceholders(instruction.payload ?? {}, values);
    const path = fillPath(instruction, values);
    const origin = findOwnOrigin(this.host);
    if (!path) return failed(`path: ${instruction.path} is not an address below v5/`, payload);
    if (origin === null) return failed('internal: the process that carries this out serves no requests', payload);
    const answer = await this.call(attempt, { origin, path, payload });
    return { ...judgeAnswer(answer, attempt, path.path), payload };
  }

  private async call(
    { instruction, messageId, event, subscription }: Attempt<ApiInstructionDto>,
    { origin, path, payload }: { origin: string; path: ApiPath; payload: unknown },
  ): Promise<LoopbackAnswer> {
    const { id: subscriptionId, lastEditorId: userId } = subscription;
    return await this.client.call({
      url: `${origin}/${path.path}${path.query}`,
      method: instruction.method,
      token: this.tokens.issue({ userId, subscriptionId, depth: event.depth + 1, rootEventId: event.rootEventId }),
      messageId,
      body: instruction.payload === undefined ? null : JSON.stringify(payload),
    });
  }
}

/** Null if it is not an address of the API, or if the value at its end is empty: without the id it would be another operation. */
function fillPath({ path: template }: ApiInstructionDto, values: PlaceholderValues): ApiPath | null {
  const found = apiPath(fillUrl(template, values));
  return found?.path.endsWith('/') && !template.split('?', 1)[0]?.endsWith('/') ? null : found;
}

const failed = (reason: string, payload: unknown): Outcome => ({ succeeded: false, statusCode: 0, reason, payload });
