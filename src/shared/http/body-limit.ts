import type { IncomingMessage } from 'node:http';

/** What the headers of a request proved: good credentials, a signature that only its body can prove, or nothing. */
export type Proof = 'proven' | 'announced' | 'none';

/** How much a request may send. */
export interface BodyLimit {
  readonly bytes: number;
  /** Names of members of a JSON body, at all depths together. */
  readonly keys: number;
  /** Members and elements of a JSON body, likewise. */
  readonly values: number;
  /** Why credentials that were sent are not good, to be answered in place of "too large"; null: none were sent, or they are good. */
  readonly refusal: Error | null;
}

declare module 'node:http' {
  interface IncomingMessage {
    /** Set by Admission for requests that have a body. */
    bodyLimit?: BodyLimit;
  }
}

const KIB = 1024;
const MIB = 1024 * KIB;
/** Elements of lists are cheaper than members, and 10,000 ranges have three members each. */
const MANY = { keys: 50_000, values: 200_000 };
/** 1,000 items with 100 metadata entries each. */
const MANY_ITEMS = { keys: 400_000, values: 600_000 };
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

/** The announced length of a body; null: it comes in chunks. */
export function lengthOf({ headers }: IncomingMessage): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;
}

const [QUOTE, BACKSLASH, COLON, COMMA, BRACKET, BRACE] = [...'"\\:,[{'].map((one) => one.charCodeAt(0));

/** How many members and how many values a JSON text has, at all depths together; found before it is parsed, because parsing them is the work. */
export function countJson(bytes: Uint8Array): { keys: number; values: number } {
  let [keys, values, inText] = [0, 1, false];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if (byte === COLON) keys += 1;
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
  }
  return { keys, values };
}
