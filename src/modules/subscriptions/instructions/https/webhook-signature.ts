import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32; // the output length of HMAC-SHA256; Standard Webhooks require 24 to 64

/** The signed message; `timestamp` in Unix seconds, `body` exactly as sent. */
export interface WebhookMessage {
  readonly id: string;
  readonly timestamp: number;
  readonly body: Buffer | null;
}

/** Creates a secret for the signatures of a subscription in the format of Standard Webhooks: `whsec_` and the key in base64. */
export const createSigningSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** The three headers that prove the sender and the time of a message (Standard Webhooks, symmetric signatures). `secret`: `whsec_…`. */
export function signWebhook({ id, timestamp, body }: WebhookMessage, secret: string): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`);
  if (body) hmac.update(body);
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${hmac.digest('base64')}` };
}
