import type { IncomingMessage } from 'node:http';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { type Caller, DROPSITE_SCOPE } from '../auth/index.js';
import { sha256 } from '../secrets/index.js';
import { IdempotencyService, idempotencyErrors, type KeptAnswer } from './idempotency.service.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
/** Response headers that are stored with the body. */
const KEPT_HEADERS = ['cache-control', 'etag', 'location'];

/** Runs an operation once per Idempotency-Key, and returns the same response to repeated requests. */
@Injectable()
class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly keys: IdempotencyService) {}

  /** Throws `invalid_idempotency_key`, `idempotency_key_reused`, `idempotent_answer_unreadable`. */
  async intercept(context: ExecutionContext, next: CallHandler<unknown>): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const owner = ownerOf(request.caller);
    const key = owner && keyOf(request);
    if (!owner || key === null) return next.handle();
    const keyed = { userId: owner.userId, key: `${owner.clientId ?? ''} ${key}`, fingerprint: fingerprintOf(request) };
    const { answer, replayed } = await this.keys.once(keyed, async () => {
      const body = await lastValueFrom(next.handle(), { defaultValue: undefined });
      return { status: response.statusCode, headers: headersOf(response), body };
    });
    if (replayed) repeat(answer, response);
    return of(answer.body);
  }
}

/**
 * The identity of a signed-in caller. Senders of a dropsite have none, because anyone who knows an address can get a session of its sender,
 * and must not get responses meant for someone else. Their requests carry an uploadId instead.
 */
const ownerOf = (caller: Caller | null): Caller | null => (caller?.scopes.has(DROPSITE_SCOPE) ? null : caller);

/** The Idempotency-Key header; null if absent. */
function keyOf({ headers }: IncomingMessage): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw idempotencyErrors.invalid_idempotency_key('An Idempotency-Key has 1 to 255 visible ASCII characters, for example a UUID.');
}

const headersOf = (response: Response): Record<string, string> =>
  Object.fromEntries(KEPT_HEADERS.filter((name) => response.hasHeader(name)).map((name) => [name, String(response.getHeader(name))]));

function repeat({ status, headers }: KeptAnswer, response: Response): void {
  response.status(status);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('idempotency-replayed', 'true');
}

/** The parts of a request that must be equal in a repetition. */
interface ComparedRequest {
  readonly method: string;
  /** Including the query. */
  readonly originalUrl: string;
  readonly body: unknown;
}

/** SHA-256 of method, path, query and body; the order of object members is ignored. */
export const fingerprintOf = ({ method, originalUrl, body }: ComparedRequest): string =>
  sha256(JSON.stringify([method, originalUrl, sorted(body ?? {})]));

/** Represents objects as tagged lists, because an object would always put numeric names first. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', ...value.map(sorted)];
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return ['object', ...entries.map(([name, inner]) => [name, sorted(inner)])];
}

export const IDEMPOTENT = 'idempotency:idempotent';

/**
 * For operations that create something: repeating the request with the same Idempotency-Key returns the first response and creates nothing, so that a
 * caller who does not know the outcome can send the request again (contract section 9; draft-ietf-httpapi-idempotency-key-header).
 * All database changes of the operation must be part of the ambient transaction.
 */
export const Idempotent = () =>
  applyDecorators(SetMetadata(IDEMPOTENT, true), UseInterceptors(IdempotencyInterceptor), ApiHeader(IDEMPOTENCY_HEADER));

/** Describes the header in the OpenAPI document. */
export const IDEMPOTENCY_HEADER = {
  name: 'Idempotency-Key',
  required: false,
  description:
    'Up to 255 visible ASCII characters, a new value (for example a UUID) for each resource to create. A repeated or concurrent request with the same key creates nothing and returns the same response with `Idempotency-Replayed: true`. Failed requests are not stored.',
  schema: { type: 'string', maxLength: 255, example: '8e03978e-40d5-43dd-bc93-6894a57f9324' },
};
