import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import { DomainError } from '../../../shared/errors.js';
import { lengthOf, whyUnreadable } from '../../../shared/http/index.js';

const MAX_BODY_BYTES = 65_536; // the largest legitimate token request has a few kB
/** A body that is too large is read completely before it is refused, up to this size. */
const ANSWERED_EARLY_BYTES = 4 * 1024 * 1024;
/** The connection of a client that sends more is closed. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

export type FormBody = Readonly<Record<string, unknown>>;

/** The body cannot be read; the message states the reason. */
export class UnreadableBody extends Error {}

/**
 * Reads a form or JSON body into a flat object.
 * @throws UnreadableBody for another content type, invalid JSON, more than 64 KiB or a NUL byte
 */
export async function readForm(request: IncomingMessage): Promise<FormBody> {
  const text = await readText(request);
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (text === '' && !type) return {};
  if (type === 'application/x-www-form-urlencoded') return checked({ ...parseForm(text) });
  if (type === 'application/json') return checked(parseJson(text));
  throw new UnreadableBody('The content type must be application/x-www-form-urlencoded or application/json.');
}

/** Refuses a very large body early, and discards the rest, which would otherwise block the next request on the connection. */
async function readText(request: IncomingMessage): Promise<string> {
  return await new Promise((resolve, reject) => {
    const refuse = (reason: string) => reject(new UnreadableBody(reason));
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else if (lengthOf(request) === null) {
        refuse('The request body is too large.');
        request.pause(); // the connection is closed after the response
        return;
      }
      if (size > MAX_DISCARDED_BYTES) request.destroy();
      else if (size > ANSWERED_EARLY_BYTES && size - chunk.length <= ANSWERED_EARLY_BYTES) {
        refuse('The request body is too large.');
        request.pause();
        setImmediate(() => request.resume()); // after the response
      }
    });
    const interrupted = () => refuse('The request ended before its body was complete.');
    request.once('error', interrupted).once('close', interrupted);
    request.once('end', () => {
      request.off('close', interrupted);
      if (size > MAX_BODY_BYTES) refuse(`The request body is larger than ${MAX_BODY_BYTES} bytes.`);
      else resolve(Buffer.concat(chunks).toString('utf8'));
    });
    if (request.destroyed) interrupted();
  });
}

function parseJson(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnreadableBody('The request body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableBody('The request body must be a JSON object.');
  return value as Record<string, unknown>;
}

function checked(body: Record<string, unknown>): FormBody {
  const reason = whyUnreadable(body);
  if (reason) throw new UnreadableBody(`The request body ${reason}.`);
  // RFC 6749 section 3.2: parameters occur once, so that our checks and those of oidc-provider read the same value.
  const repeated = Object.keys(body).find((name) => Array.isArray(body[name]) && name !== 'resource');
  if (repeated) throw new UnreadableBody(`The parameter ${repeated} must be sent once, as one value.`);
  return body;
}

/** Returns a parameter that was sent once and is not empty. Numbers and booleans of a JSON body are converted to text. */
export function single(body: FormBody, name: string): string | undefined {
  const value = body[name];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether a parameter was not sent: absent, null or empty, which means the same (RFC 6749 section 3.2). */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Returns the id of the requesting client from HTTP Basic (RFC 6749 section 2.3.1) or the body, without authenticating it. */
export function clientIdOf(request: IncomingMessage, body: FormBody): string | undefined {
  return basicCredentials(request)?.clientId ?? single(body, 'client_id') ?? single(body, 'clientId');
}

/** Returns the client's credentials from HTTP Basic (RFC 6749 section 2.3.1), or null. */
export function basicCredentials({ headers: { authorization } }: IncomingMessage): { clientId: string; secret: string } | null {
  if (!authorization || !/^basic /i.test(authorization)) return null;
  const [, encodedId, encodedSecret] = /^([^:]*):(.*)$/s.exec(Buffer.from(authorization.slice(6), 'base64').toString('utf8')) ?? [];
  if (!encodedId || encodedSecret === undefined) return null;
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', '%20'));
    return { clientId: decode(encodedId), secret: decode(encodedSecret) };
  } catch {
    return null;
  }
}

type TokenError = 'invalid_request' | 'invalid_grant' | 'invalid_scope' | 'invalid_target' | 'unauthorized_client' | 'rate_limited';

/** An error of the token endpoint (RFC 6749 section 5.2), found before the code is touched. */
export class TokenRequestError extends Error {
  constructor(
    readonly error: TokenError,
    description: string,
    readonly status = 400,
  ) {
    super(description);
  }
}

/** Converts an error that occurred while the request was read for the token and revocation endpoints; null for unexpected errors. */
export function asTokenRequestError(error: unknown, response: ServerResponse): TokenRequestError | null {
  if (error instanceof TokenRequestError) return error;
  if (error instanceof UnreadableBody) return new TokenRequestError('invalid_request', error.message);
  if (!(error instanceof DomainError) || error.code !== 'rate_limited') return null;
  response.setHeader('retry-after', String(error.extras.retryAfter));
  return new TokenRequestError('rate_limited', error.detail, 429);
}
