import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import express from 'express';
import { DomainError, generalErrors } from '../errors.js';
import { inTurns } from '../fairness/index.js';
import { type BodyLimit, countBrackets, countJson, lengthOf, NOTHING_PROVEN } from './body-limit.js';
import { markClean } from './json-object.js';
import type { Step } from './pipeline.js';
import type { RateLimitsService } from './rate-limits.service.js';
import { httpErrors } from './render-error.js';
import { MAX_DEPTH, searchUnreadable, UNSAFE_NAME } from './why-unreadable.js';

/** A parser of Express that does not need Express's own request. */
type Parser = (...exchange: [...Parameters<RequestListener>, (error?: unknown) => void]) => void;
type ParsedRequest = IncomingMessage & { body?: unknown };

const MAX_THROWN_AWAY_BYTES = 64 * 1024 * 1024; // a client that sends more is disconnected
const MAX_THROWN_AWAY_MS = 30_000;
/** Larger bodies take milliseconds to parse. */
const TURN_BYTES = 65_536;

/** Revocation reads its body like the other OAuth endpoints, whose errors have the shape of RFC 6749. */
const READ_BY_HANDLER = /^\/v4\/revoke\/?(\?|$)/i;

/** A form is flat; the forms of this service have about a dozen fields. */
const MAX_FORM_BRACKETS = 2_000;

/** Properties of a JSON text that make searching its values unnecessary. */
interface JsonText {
  /** Whether nothing has to be searched: no character is escaped, so that none is forbidden by JSON and UTF-8, and no member is named `__proto__`. */
  readonly isHarmless: boolean;
}

const jsonTexts = new WeakMap<IncomingMessage, JsonText>();
const parsers = new Map<number, readonly Parser[]>();

/**
 * Reads JSON and form bodies, within the limits of admission, for all later handlers. The last step before Express. Refuses values that cannot
 * be stored or are nested too deeply.
 */
export function parseBody(limiter: Pick<RateLimitsService, 'countFailure'>): Step {
  return (request: ParsedRequest, response, next) => {
    if (lengthOf(request) === 0 || READ_BY_HANDLER.test(request.url ?? '')) return next();
    const limit = request.bodyLimit ?? NOTHING_PROVEN;
    let isRefused = false;
    const refuse = (error: unknown) => {
      if (isRefused) return; // Express's parser reports the end of a connection that was cut off
      isRefused = true;
      whyTooLarge(error, limit, async () => await limiter.countFailure(request, response)).then(next, next);
    };
    if ((lengthOf(request) ?? 0) > limit.bytes) {
      answerEarly(request, response);
      return refuse(tooLarge(limit));
    }
    if (lengthOf(request) === null) {
      const tooLong = () => {
        answerEarly(request, response);
        refuse(tooLarge(limit));
      };
      limitBody(request, limit.bytes, tooLong);
    }
    const [json, form] = parsersFor(limit.bytes);
    json?.(request, response, (error) => {
      if (error !== undefined) return refuse(error);
      form?.(request, response, (formError) => {
        if (formError !== undefined) return refuse(formError);
        checkContent(request).then(() => next(), next);
      });
    });
  };
}

function parsersFor(bytes: number): readonly Parser[] {
  const made = parsers.get(bytes) ?? [
    express.json({ limit: bytes, strict: false, verify: checkJson }) as Parser,
    express.urlencoded({ limit: bytes, extended: true, verify: checkForm }) as Parser,
  ];
  parsers.set(bytes, made);
  return made;
}

/** Checks the text before it is parsed, because parsing is what members cost. JSON is UTF-8 (RFC 8259 section 8.1); other text cannot be counted. */
function checkJson(request: IncomingMessage, _response: ServerResponse, bytes: Buffer, encoding: string): void {
  const limit = request.bodyLimit ?? NOTHING_PROVEN;
  if (encoding !== 'utf-8' && bytes.length > NOTHING_PROVEN.bytes) throw httpErrors.malformed_request('Send JSON as UTF-8.');
  const { keys, values, names, depth, hasEscapes } = countJson(bytes);
  if (keys > limit.keys || values > limit.values || names > limit.names) throw tooManyParts(limit);
  if (depth > MAX_DEPTH) throw httpErrors.malformed_request(`The request body is nested more than ${MAX_DEPTH} levels deep.`);
  jsonTexts.set(request, { isHarmless: encoding === 'utf-8' && !hasEscapes && !bytes.includes(UNSAFE_NAME) });
}

function checkForm(_request: IncomingMessage, _response: ServerResponse, bytes: Buffer): void {
  if (countBrackets(bytes) > MAX_FORM_BRACKETS) {
    throw generalErrors.payload_too_large(`The form has too many parts: at most ${MAX_FORM_BRACKETS} brackets are allowed.`);
  }
}

async function checkContent(request: ParsedRequest): Promise<void> {
  const text = jsonTexts.get(request);
  const reason = text?.isHarmless ? null : await inTurns(searchUnreadable(request.body));
  if (reason !== null) throw httpErrors.malformed_request(`The request body ${reason}.`);
  if (text) markClean(request.body);
  if ((lengthOf(request) ?? Number.POSITIVE_INFINITY) > TURN_BYTES) await setImmediate(); // parsing took long: let other requests run
}

const tooLarge = ({ bytes }: BodyLimit) =>
  generalErrors.payload_too_large(`The request body is too large for this operation and caller: at most ${bytes / 1024} KiB.`);

const tooManyParts = ({ keys, values, names }: BodyLimit) =>
  generalErrors.payload_too_large(
    `The request body has too many parts: at most ${keys} members of ${names} different names and ${values} values are read, at all depths together.`,
  );

/** If valid credentials would have allowed more, the response says what is wrong with the credentials. */
async function whyTooLarge(error: unknown, { refusal }: BodyLimit, countFailure: () => Promise<void>): Promise<unknown> {
  const isTooLarge = (error as { status?: number }).status === 413 || (error instanceof DomainError && error.kind === 'too_large');
  if (!isTooLarge || refusal === null) return error;
  if (refusal instanceof DomainError && refusal.kind === 'unauthenticated') await countFailure();
  return refusal;
}

/**
 * Lets the response be sent before the body has arrived, and discards the body for a while: closing a connection with unread data would
 * discard the response at the client. A body of unknown length is cut off instead.
 */
export function answerEarly(request: IncomingMessage, response: ServerResponse): void {
  if (lengthOf(request) === null) return cutOff(request, response);
  const end = response.end.bind(response);
  response.end = ((text: string) => {
    response.write(text);
    throwAway(request, () => end());
    return response;
  }) as typeof response.end;
}

/** Counts the bytes of a body of unknown length while a parser reads them: Express's parser would read an endless one to its end. */
function limitBody(request: IncomingMessage, bytes: number, tooLong: () => void): void {
  let size = 0;
  const count = (chunk: Buffer) => {
    size += chunk.length;
    if (size <= bytes) return;
    request.off('data', count);
    tooLong();
  };
  request.on('data', count);
}

/** How long a client has to read the response before the connection is reset, which discards what it has not read. */
const LINGER_MS = 1_000;

/** Lets the response be sent, reads no more of a body whose end is unknown, and closes the connection. */
function cutOff(request: IncomingMessage, response: ServerResponse): void {
  request.pause();
  request.removeAllListeners('data');
  request.resume = () => request; // Express's parser would read the rest
  response.setHeader('connection', 'close');
  response.end = ((text: string) => {
    response.write(text);
    const timer = setTimeout(() => request.destroy(), LINGER_MS).unref();
    request.once('close', () => clearTimeout(timer));
    return response;
  }) as typeof response.end;
}

function throwAway(request: IncomingMessage, done: () => void): void {
  let left = MAX_THROWN_AWAY_BYTES;
  const leave = () => {
    clearTimeout(timer);
    request.destroy();
  };
  const timer = setTimeout(leave, MAX_THROWN_AWAY_MS).unref();
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) leave();
  });
  request.once('close', () => {
    clearTimeout(timer);
    done();
  });
  if (request.readableEnded || request.destroyed) done();
}
