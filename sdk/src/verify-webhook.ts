import type { webhooks } from './generated/api.js';
import { ProblemError } from './problem-error.js';

/** Maximum difference between the time of a message and this clock, in seconds (Standard Webhooks); it limits how long a message can be replayed. */
const TOLERANCE_SECONDS = 300;

/** `Headers`, or the headers object of servers on Node.js. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies that the service sent a message of a subscription (Standard Webhooks), and returns its event. `body` is the body as it was received,
 * byte for byte; without a body (GET) the event is null. `secret` is the secret of the subscription; while it is being replaced, the old and the
 * new one. Throws a ProblemError with the code `webhook_headers_missing`, `webhook_timestamp_refused`, `webhook_signature_mismatch` or
 * `webhook_body_invalid`.
 */
export async function verifyWebhook<Event = WebhookEvent>(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): Promise<Event> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headerOf(headers, name));
  if (!id || !timestamp || !signatures) {
    throw refusal('webhook_headers_missing', 'The headers webhook-id, webhook-timestamp and webhook-signature are required.');
  }
  if (!secret) throw new TypeError('verifyWebhook needs the secret of the subscription (whsec_…).');
  // The timestamps of the service are whole numbers of seconds; a message with another one is refused.
  const age = /^\d{1,12}$/.test(timestamp) ? Math.abs(Date.now() / 1_000 - Number(timestamp)) : Number.POSITIVE_INFINITY;
  if (age > TOLERANCE_SECONDS) {
    throw refusal(
      'webhook_timestamp_refused',
      'The time of the message differs from the clock of this machine by more than five minutes. Check the clock.',
    );
  }
  const content = typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body);
  const message = concat(encoder.encode(`${id}.${timestamp}.`), content);
  const given = signatures.split(' ').flatMap((signature) => decodeSignature(signature) ?? []);
  const keys = await Promise.all((typeof secret === 'string' ? [secret] : secret).map(importKey));
  // `verify` compares in constant time.
  const verdicts = keys.flatMap((key) => given.map(async (signature) => await crypto.subtle.verify('HMAC', key, signature, message)));
  if (!(await Promise.all(verdicts)).includes(true)) {
    throw refusal('webhook_signature_mismatch', 'No signature matches: the body was changed, or the secret is wrong.');
  }
  return parseEvent(content);
}

/** The events that the service delivers, distinguished by `name`. */
export type WebhookEvent = webhooks[keyof webhooks]['post']['requestBody']['content']['application/json'];

const encoder = new TextEncoder();

const refusal = (code: string, detail: string, options?: ErrorOptions) => new ProblemError({ status: 0, code, detail }, options);

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return (typeof value === 'string' ? value : value?.join(' ')) ?? null;
}

/** The bytes of a signature `v1,…`; null for other versions and for invalid base64. */
function decodeSignature(signature: string): Uint8Array<ArrayBuffer> | null {
  return signature.startsWith('v1,') ? decodeBase64(signature.slice('v1,'.length)) : null;
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

async function importKey(secret: string): Promise<CryptoKey> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new TypeError('The secret of a webhook must be whsec_ followed by base64.');
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

function parseEvent<Event>(content: Uint8Array): Event {
  if (content.length === 0) return null as Event;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content)) as Event;
  } catch (cause) {
    throw refusal('webhook_body_invalid', 'The signature is valid, but the body is not JSON.', { cause });
  }
}
