import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32; // as many as HMAC-SHA256 uses; Standard Webhooks ask for 24 to 64

/** What is signed; `timestamp` in Unix seconds, `body` as it is sent. */
export interface WebhookMessage {
  readonly id: string;
  readonly timestamp: number;
  readonly body: Buffer | null;
}

/** A new secret for the signatures of a subscription, as Standard Webhooks write it: `whsec_` and the key in base64. */
export const createSigningSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** The three headers that prove the sender and the time of a message (Standard Webhooks, symmetric signatures). `secret`: `whsec_…`. */
export function signWebhook({ id, timestamp, body }: WebhookMessage, secret: string): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`);
  if (body) hmac.update(body);
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${hmac.digest('base64')}` };
}
