import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** What is signed; `timestamp` in unix seconds, `body` as it is sent. */
export interface WebhookMessage {
  readonly id: string;
  readonly timestamp: number;
  readonly body: Buffer | null;
}

/** The three headers by which a receiver knows who sent a message, and when (Standard Webhooks, symmetric signatures). `secret`: `whsec_…`. */
export function signWebhook({ id, timestamp, body }: WebhookMessage, secret: string): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`);
  if (body) hmac.update(body);
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${hmac.digest('base64')}` };
}
