import { randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What the headers of a request prove: valid credentials, a signature that only the body can verify, or nothing. */
export type Proof = 'proven' | 'announced' | 'none';

/** Limits for the body of a request. */
export interface BodyLimit {
  readonly bytes: number;
  /** Member names of a JSON body, counted at all depths. */
  readonly keys: number;
  /** Members and elements of a JSON body, counted at all depths. */
  readonly values: number;
  /** Distinct member names: a new name costs twenty times as much as a repeated one. */
  readonly names: number;
  /** Why the credentials of the request are invalid, to be returned instead of "too large"; null: none were sent, or they are valid. */
  readonly refusal: Error | null;
}

declare module 'node:http' {
  interface IncomingMessage {
    /** Set by AdmissionService for requests with a body. */
    bodyLimit?: BodyLimit;
  }
}

const KIB = 1024;
const MIB = 1024 * KIB;
/** List elements are cheaper than members, and 10,000 ranges have three members each. */
const MANY = { keys: 50_000, values: 200_000, names: 10_000 };
/** 1,000 items with 100 metadata entries each; all items use the same few names. */
const MANY_ITEMS = { keys: 400_000, values: 600_000, names: 10_000 };
const UPLOAD = /^\/v5\/(s3|dropsite)\/createUpload\/?(\?|$)/i;
const ANONYMOUS_UPLOAD = /^\/v5\/dropsite\/createUpload\/?(\?|$)/i;
/** A form field of 256 KiB of XML in base64, percent-encoded. */
const SAML_RESPONSE = /^\/v4\/saml\/[^/?]+\/acs\/?(\?|$)/i;

/** The limits of contract sections 1 and 12.10. */
export function bodyLimitOf(url: string, proof: Proof): Omit<BodyLimit, 'refusal'> {
  if (proof === 'proven') return UPLOAD.test(url) ? { bytes: 8 * MIB, ...MANY_ITEMS } : { bytes: 2 * MIB, ...MANY };
  if (proof === 'announced' || ANONYMOUS_UPLOAD.test(url)) return { bytes: MIB, ...MANY };
  return { bytes: (SAML_RESPONSE.test(url) ? 512 : 64) * KIB, ...MANY };
}

export const NOTHING_PROVEN: BodyLimit = { ...bodyLimitOf('', 'none'), refusal: null };

/** The announced length of a body in bytes; null for chunked encoding. */
export function lengthOf({ headers }: IncomingMessage): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;
}

/** The properties that make a JSON text expensive to parse. */
export interface JsonParts {
  readonly keys: number;
  readonly values: number;
  /** Distinct names; the count may be slightly too low because of hash collisions, never too high. */
  readonly names: number;
  /** The nesting depth of lists and objects. */
  readonly depth: number;
  /** Whether characters are escaped by number, as in `\u0000`. */
  readonly hasEscapes: boolean;
}

const [QUOTE, BACKSLASH, COLON, COMMA] = [...'"\\:,'].map((one) => one.charCodeAt(0));
const [BRACKET, BRACE, END_BRACKET, END_BRACE, LETTER_U] = [...'[{]}u'].map((one) => one.charCodeAt(0));

const MAX_NAME_BITS = 21; // 256 KiB, in which 50,000 names contain a collision about once in a hundred times
/**
 * At least 32 slots per byte; bodies of 32 KiB and more get the maximum. A short body allocates little, because clearing 256 KiB takes up to 80 µs.
 */
const NAME_BITS_PER_BYTE = 5;
const NAME_SEED = randomInt(2 ** 31); // random, so that colliding names cannot be prepared
const FNV_PRIME = 16_777_619;
const { imul } = Math; // bound once, because looking up a global for each byte is slow in a node:vm context

/** Counts the parts of a JSON text before it is parsed, because parsing them is what costs time. */
export function countJson(bytes: Uint8Array): JsonParts {
  const nameBits = Math.min(32 - Math.clz32(bytes.length) + NAME_BITS_PER_BYTE, MAX_NAME_BITS);
  const seen = new Uint8Array(2 ** (nameBits - 3));
  let [keys, values, names, depth, deepest, hash] = [0, 1, 0, 0, 0, 0];
  let [inText, hasEscapes] = [false, false];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (inText) {
      if (byte === QUOTE) inText = false;
      else hash = imul(hash ^ byte, FNV_PRIME);
      if (byte !== BACKSLASH) continue;
      at += 1;
      if (bytes[at] === LETTER_U) hasEscapes = true;
    } else if (byte === QUOTE) {
      inText = true;
      hash = NAME_SEED;
    } else if (byte === COLON) {
      keys += 1;
      const slot = hash >>> (32 - nameBits);
      const bit = 1 << (slot & 7);
      if (((seen[slot >> 3] as number) & bit) === 0) names += 1;
      (seen[slot >> 3] as number) |= bit;
    } else if (byte === COMMA) values += 1;
    else if (byte === BRACKET || byte === BRACE) {
      values += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === END_BRACKET || byte === END_BRACE) depth -= 1;
  }
  return { keys, values, names, depth: deepest, hasEscapes };
}

const PERCENT = '%'.charCodeAt(0);
const [FIVE, LETTER_B] = [...'5b'].map((one) => one.charCodeAt(0));

/** The number of brackets in a form, in either spelling; each one creates a list or an object. */
export function countBrackets(bytes: Uint8Array): number {
  let brackets = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === BRACKET) brackets += 1;
    else if (bytes[at] === PERCENT && bytes[at + 1] === FIVE && ((bytes[at + 2] as number) | 32) === LETTER_B) brackets += 1;
  }
  return brackets;
}
