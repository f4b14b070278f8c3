import type { IncomingMessage } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { type Caller, DROPSITE_SCOPE } from '../auth/index.js';
import { fingerprintOf } from './fingerprint-of.js';
import { idempotencyErrors } from './idempotency.errors.js';
import { IdempotencyKeys, type KeptAnswer } from './idempotency-keys.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
/** What operations say beside the body. */
const KEPT_HEADERS = ['cache-control', 'etag', 'location'];

/** Lets an operation do once what is asked for with one Idempotency-Key, and answers the same to whoever asks again. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly keys: IdempotencyKeys) {}

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
 * Who can be known again: whoever is signed in. Senders of a dropsite cannot: everybody who knows an address has sessions of its sender,
 * and must not get the answers of another one. What they make has an uploadId.
 */
const ownerOf = (caller: Caller | null): Caller | null => (caller?.scopes.has(DROPSITE_SCOPE) ? null : caller);

/** Null: there is none. */
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
