import { createHmac } from 'node:crypto';
import { isObject } from '../../../shared/validation/index.js';

/** The signed content. It excludes the method, which only decides whether the signature may be used again. */
export interface SignedContent {
  /** Request path; its query and case are ignored. */
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

/** A computation that yields after each piece of work, because a payload may have 50,000 keys. */
type Pieces<Result> = Generator<void, Result>;

/** A member of an object: its name, and `"name":value` as it occurs in the message. */
interface Member {
  readonly name: string;
  readonly text: string;
}

const PIECE = 500; // values written, or names sorted, within about a millisecond

/** The locale is fixed, so that a machine's language does not change the order of keys. */
const { compare } = new Intl.Collator('en');

/**
 * Returns the message of a signature, version 5: the path in lower case without query, the identifier if there is one, the time, and the payload
 * as compact JSON with sorted keys unless it is empty, joined by line feeds.
 */
export function signatureMessage({ path, identifier, rts, json }: SignedContent): string {
  const pathOnly = (path.split('?', 1)[0] ?? '').toLowerCase();
  return [pathOnly, ...(identifier ? [identifier] : []), rts, ...(json ? [json] : [])].join('\n');
}

/** Returns the HMAC-SHA256 of the message in lower-case hexadecimal. */
export const signatureOf = (secret: string, content: SignedContent): string =>
  createHmac('sha256', secret).update(signatureMessage(content)).digest('hex');

/** Computes the signatures of all variants of a request's parameters. */
export function* signaturesOf(secret: string, content: Omit<SignedContent, 'json'>, parameters: Parameters): Pieces<string[]> {
  const signatures: string[] = [];
  for (const json of yield* payloadTexts(parameters)) {
    signatures.push(signatureOf(secret, { ...content, json }));
    yield;
  }
  return signatures;
}

/**
 * Returns the distinct variants of canonical JSON that clients may have signed: with or without path parameters, with query values as text or
 * cast; the body takes precedence. The body is sorted and serialised once for all variants.
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
 * Returns the path parameters under the names of our routes; a single one also under those of the specification, which calls an identifier `id`
 * on every route, the one of `/v5/embedlink/:mediaContainerId` also `mediaContainerId`, and the last part of `POST /v5/subscriptions/:template`
 * `template`.
 */
function namesOf(params: Json): Json[] {
  const [[name, value] = [], ...others] = Object.entries(params);
  if (name === undefined || others.length > 0) return [params];
  return [
    params,
    { id: value },
    ...(name === 'id' ? [{ mediaContainerId: value }] : []),
    ...(name === 'idOrTemplate' ? [{ template: value }] : []),
  ];
}

/** Serialises a value as compact JSON with the keys of every object sorted. */
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

/** Returns the members of an object in the order of the message. */
function* membersOf(object: Json): Pieces<Member[]> {
  const members: Member[] = [];
  for (const name of Object.keys(object)) {
    if (members.length % PIECE === 0) yield;
    members.push({ name, text: `${JSON.stringify(name)}:${yield* textOf(object[name])}` });
  }
  return yield* sorted(members);
}

/** Sorts by halves, which a single pass of the engine's sort merges. */
function* sorted(members: Member[]): Pieces<Member[]> {
  if (members.length <= PIECE) return members.sort(inOrder);
  const middle = members.length >> 1;
  const halves = [...(yield* sorted(members.slice(0, middle))), ...(yield* sorted(members.slice(middle)))];
  yield;
  return halves.sort(inOrder);
}

/** Sorts integer names first, in numerical order, as JavaScript serialises them and as clients therefore sign them. */
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

const NUMERIC = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i; // each text can match in only one way, so that matching takes linear time

/** Casts numeric text to a number, unless the number cannot represent its digits. */
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
