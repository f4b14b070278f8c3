import type { webhooks } from './api.js';
import { ProblemError } from './problem-error.js';

/** How far the time of a message may be off, in seconds (Standard Webhooks); it limits how long a recorded message can be sent again. */
const TOLERANCE_SECONDS = 300;

/** `Headers`, or the object that servers on Node.js have. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies that a message of a subscription was sent by the service (Standard Webhooks), and returns its event. `body` is the body as it was
 * received, byte for byte; without one (GET) the event is null. `secret` is the secret of the subscription; while it is being replaced, the old and the new one. Throws a
 * ProblemError with the code `webhook_headers_missing`, `webhook_timestamp_refused`, `webhook_signature_mismatch` or
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
  // A timestamp is a whole number of seconds; whatever else was signed under it is not a message of the service.
  const age = /^\d{1,12}$/.test(timestamp) ? Math.abs(Date.now() / 1_000 - Number(timestamp)) : Number.POSITIVE_INFINITY;
  if (age > TOLERANCE_SECONDS) {
    throw refusal('webhook_timestamp_refused', 'The time of the message is more than five minutes off. Check the clock of this machine.');
  }
  const content = typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body);
  const message = concat(encoder.encode(`${id}.${timestamp}.`), content);
  const given = signatures.split(' ').flatMap((signature) => decodeSignature(signature) ?? []);
  const keys = await Promise.all((typeof secret === 'string' ? [secret] : secret).map(importKey));
  // `verify` compares in constant time.
  const verdicts = keys.flatMap((key) => given.map(async (signature) => await crypto.subtle.verify('HMAC', key, signature, message)));
  if (!(await Promise.all(verdicts)).includes(true)) {
    throw refusal('webhook_signature_mismatch', 'No signature fits: the body was changed, or the secret is another one.');
  }
  return parseEvent(content);
}

/** The events that the service delivers; `name` tells them apart. */
export type WebhookEvent = webhooks[keyof webhooks]['post']['requestBody']['content']['application/json'];

const encoder = new TextEncoder();

const refusal = (code: string, detail: string, options?: ErrorOptions) => new ProblemError({ status: 0, code, detail }, options);

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return (typeof value === 'string' ? value : value?.join(' ')) ?? null;
}

/** The bytes of a signature `v1,…`; null for other versions and for what is not base64. */
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
  if (!bytes || bytes.length === 0) throw new TypeError('The secret of a webhook begins with whsec_ and continues in base64.');
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
    throw refusal('webhook_body_invalid', 'The body is genuine, but not JSON.', { cause });
  }
}
