import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Attempt, InstructionRunner, Outcome } from '../instruction.js';
import { DOT_SEGMENT, fillPlaceholders, fillUrl, type PlaceholderValues } from '../placeholders.js';
import type { ApiInstructionDto } from './api-instruction.dto.js';
import { InstructionTokensService } from './instruction-tokens.service.js';
import { judgeAnswer } from './judge-answer.js';
import { findOwnOrigin, type LoopbackAnswer, LoopbackService } from './loopback.service.js';

/** Matches the characters of a path and a query (RFC 3986 section 3.3), so that every parser reads the address in the same way. */
const PATH =
  /^\/?(v5\/(?:[\w.~!$&'()*+,;=:@-]|%[\da-f]{2})(?:[\w.~!$&'()*+,;=:@/-]|%[\da-f]{2})*)(\?(?:[\w.~!$&'()*+,;=:@/?[\]-]|%[\da-f]{2})*)?$/i;

/** An address below `/v5/`, as it is sent. */
export interface ApiPath {
  /** The path without query, for people: `v5/format/7`. */
  readonly path: string;
  /** The query (`?refresh=true`), or an empty text. */
  readonly query: string;
}

/** Calls this service, with the current rights of the user who last edited the subscription (contract section 9). */
@Injectable()
export class ApiInstructionService implements InstructionRunner<ApiInstructionDto>, OnApplicationShutdown {
  constructor(
    private readonly tokens: InstructionTokensService,
    private readonly host: HttpAdapterHost,
    private readonly client: LoopbackService,
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

/**
 * The address of a call; null unless it is unambiguously one of the platform API: it begins with `v5/` and contains no empty segments, dot segments
 * or characters that should be encoded.
 */
export function apiPath(filled: string): ApiPath | null {
  const [, path, query = ''] = PATH.exec(filled) ?? [];
  if (path === undefined || path.includes('//')) return null;
  if (path.split('/').some((segment) => DOT_SEGMENT.test(segment))) return null;
  return path.startsWith('v5/') ? { path, query } : null;
}

/**
 * Fills the placeholders of a path. Null if the result is not an address of the API, or if the value at its end is empty: without the id it would be
 * another operation.
 */
function fillPath({ path: template }: ApiInstructionDto, values: PlaceholderValues): ApiPath | null {
  const found = apiPath(fillUrl(template, values));
  return found?.path.endsWith('/') && !template.split('?', 1)[0]?.endsWith('/') ? null : found;
}

const failed = (reason: string, payload: unknown): Outcome => ({ succeeded: false, statusCode: 0, reason, payload });
