import { createHmac } from 'node:crypto';

/** What is signed: the method only decides whether the signature may be used again. */
export interface SignedContent {
  /** Request path; its query and case do not count. */
  readonly path: string;
  readonly identifier: string | undefined;
  /** Unix seconds, as sent. */
  readonly rts: string;
  readonly payload: unknown;
}

type Json = Record<string, unknown>;

/** Fixed, so that a machine's language does not change the order of keys. */
const { compare } = new Intl.Collator('en');

/**
 * The message of a signature, version 5: path in lower case without query, the identifier if there is one, the time, and the payload as
 * compact JSON with sorted keys unless it is empty; joined by line feeds.
 */
export function signatureMessage({ path, identifier, rts, payload }: SignedContent): string {
  const pathOnly = (path.split('?', 1)[0] ?? '').toLowerCase();
  const json = isEmpty(payload) ? [] : [JSON.stringify(sortKeys(payload))];
  return [pathOnly, ...(identifier ? [identifier] : []), rts, ...json].join('\n');
}

/** Lower-case hex HMAC-SHA256 of the message. */
export const signatureOf = (secret: string, content: SignedContent): string =>
  createHmac('sha256', secret).update(signatureMessage(content)).digest('hex');

/** The parameters as clients may have signed them: path parameters in or out, query values as text or cast. Each variant once. */
export function payloadVariants({ params, query, body }: { params: Json; query: Json; body: unknown }): unknown[] {
  if (Array.isArray(body)) return [body];
  const variants = new Map<string, unknown>();
  for (const cast of [asSent, castNumbers, castNumbersAndBooleans]) {
    for (const pathParameters of [{}, ...namesOf(params)]) {
      const payload = { ...(cast(pathParameters) as Json), ...(cast(query) as Json), ...(isObject(body) ? body : {}) };
      variants.set(JSON.stringify(payload), payload);
    }
  }
  return [...variants.values()];
}

/**
 * The path parameters under our names, and a single one under those of the specification: an identifier is `id` there on every route, whatever
 * a route of ours calls it, and the last part of `POST /v5/subscriptions/:template` is `template`.
 */
function namesOf(params: Json): Json[] {
  const [[name, value] = [], ...others] = Object.entries(params);
  if (name === undefined || others.length > 0) return [params];
  return [params, { id: value }, ...(name === 'idOrTemplate' ? [{ template: value }] : [])];
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort(compare)
      .map((key) => [key, sortKeys(value[key])]),
  );
}

const asSent = (value: unknown): unknown => value;

const NUMERIC = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Numeric-looking text becomes a number, unless the number could not hold its digits. */
function castNumbers(value: unknown): unknown {
  return mapText(value, (text) => (NUMERIC.test(text) && holds(text) ? Number(text) : text));
}

const holds = (text: string): boolean => Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER || String(Number(text)) === text;

function castNumbersAndBooleans(value: unknown): unknown {
  return mapText(castNumbers(value), (text) => (text === 'true' ? true : text === 'false' ? false : text));
}

function mapText(value: unknown, map: (text: string) => unknown): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((one) => mapText(one, map));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapText(one, map)]));
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (payload: unknown): boolean => (isObject(payload) || Array.isArray(payload) ? Object.keys(payload).length === 0 : true);
