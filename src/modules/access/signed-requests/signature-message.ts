import { createHmac } from 'node:crypto';
import { isObject } from '../../../shared/validation/index.js';

/** What is signed: the method only decides whether the signature may be used again. */
export interface SignedContent {
  /** Request path; its query and case do not count. */
  readonly path: string;
  readonly identifier: string | undefined;
  /** Unix seconds, as sent. */
  readonly rts: string;
  /** The payload as canonical JSON; an empty string when there is no payload. */
  readonly json: string;
}

type Json = Readonly<Record<string, unknown>>;

interface Parameters {
  readonly params: Json;
  readonly query: Json;
  readonly body: unknown;
}

/** A computation that yields after each small piece of work, because a payload may have 50,000 keys. */
type Pieces<Result> = Generator<void, Result>;

/** A member of an object: its name, and `"name":value` as it occurs in the message. */
interface Member {
  readonly name: string;
  readonly text: string;
}

const PIECE = 500; // values that are written, or names that are sorted, within about a millisecond

/** Fixed, so that a machine's language does not change the order of keys. */
const { compare } = new Intl.Collator('en');

/**
 * The message of a signature, version 5: path in lower case without query, the identifier if there is one, the time, and the payload as
 * compact JSON with sorted keys unless it is empty; joined by line feeds.
 */
export function signatureMessage({ path, identifier, rts, json }: SignedContent): string {
  const pathOnly = (path.split('?', 1)[0] ?? '').toLowerCase();
  return [pathOnly, ...(identifier ? [identifier] : []), rts, ...(json ? [json] : [])].join('\n');
}

/** Lower-case hex HMAC-SHA256 of the message. */
export const signatureOf = (secret: string, content: SignedContent): string =>
  createHmac('sha256', secret).update(signatureMessage(content)).digest('hex');

/** The signatures of all variants of the parameters of a request. */
export function* signaturesOf(secret: string, content: Omit<SignedContent, 'json'>, parameters: Parameters): Pieces<string[]> {
  const signatures: string[] = [];
  for (const json of yield* payloadTexts(parameters)) {
    signatures.push(signatureOf(secret, { ...content, json }));
    yield;
  }
  return signatures;
}

/**
 * The canonical JSON of the parameters as clients may have signed them: path parameters in or out, query values as text or cast; the body wins.
 * Each variant once. The body is sorted and written once for all of them.
 */
export function* payloadTexts({ params, query, body }: Parameters): Pieces<string[]> {
  if (Array.isArray(body)) return [body.length === 0 ? '' : yield* textOf(body)];
  const sent = isObject(body) ? body : {};
  const members = yield* membersOf(sent);
  const texts = new Set<string>();
  for (const cast of [asSent, castNumbers, castNumbersAndBooleans]) {
    for (const pathParameters of [{}, ...namesOf(params)]) {
      const parameters = { ...(cast(pathParameters) as Json), ...(cast(query) as Json) };
      for (const name of Object.keys(parameters)) if (Object.hasOwn(sent, name)) delete parameters[name];
      const others = yield* membersOf(parameters);
      const all = others.length === 0 ? members : [...others, ...members].sort(inOrder);
      texts.add(all.length === 0 ? '' : objectText(all));
      yield;
    }
  }
  return [...texts];
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

/** Compact JSON with the keys of every object sorted. */
function* textOf(value: unknown): Pieces<string> {
  if (!Array.isArray(value)) return isObject(value) ? objectText(yield* membersOf(value)) : JSON.stringify(value);
  const parts: string[] = [];
  for (const [index, one] of value.entries()) {
    if (index % PIECE === 0) yield;
    parts.push(typeof one === 'object' && one !== null ? yield* textOf(one) : JSON.stringify(one));
  }
  return `[${parts.join(',')}]`;
}

const objectText = (members: readonly Member[]): string => `{${members.map(({ text }) => text).join(',')}}`;

/** The members of an object in the order of the message. */
function* membersOf(object: Json): Pieces<Member[]> {
  const members: Member[] = [];
  for (const name of Object.keys(object)) {
    if (members.length % PIECE === 0) yield;
    members.push({ name, text: `${JSON.stringify(name)}:${yield* textOf(object[name])}` });
  }
  return yield* sorted(members);
}

/** Halves that are sorted already are merged by one pass of the engine's sort. */
function* sorted(members: Member[]): Pieces<Member[]> {
  if (members.length <= PIECE) return members.sort(inOrder);
  const middle = members.length >> 1;
  const halves = [...(yield* sorted(members.slice(0, middle))), ...(yield* sorted(members.slice(middle)))];
  yield;
  return halves.sort(inOrder);
}

/** JavaScript writes members whose names are whole numbers first, by size, and so do the clients that sign. */
function inOrder({ name: left }: Member, { name: right }: Member): number {
  const [leftIndex, rightIndex] = [indexOf(left), indexOf(right)];
  if (leftIndex !== null && rightIndex !== null) return leftIndex - rightIndex;
  if (leftIndex !== null) return -1;
  return rightIndex === null ? compare(left, right) : 1;
}

const MAX_INDEX = 2 ** 32 - 2; // ECMAScript, "array index"

function indexOf(name: string): number | null {
  const first = name.charCodeAt(0);
  if (!(first >= 48 && first <= 57) || name.length > 10) return null; // most names: decided without a regular expression
  return /^(0|[1-9]\d*)$/.test(name) && Number(name) <= MAX_INDEX ? Number(name) : null;
}

const asSent = (value: unknown): unknown => value;

const NUMERIC = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i; // each text can match in one way only, so that a long one costs linear time

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
