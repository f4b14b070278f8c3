import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createSigningSecret, signWebhook } from './webhook-signature.js';

describe('a new signing secret', () => {
  it('is 32 bytes in base64 behind whsec_', () => {
    const secret = createSigningSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  });

  it('is one that the library of Standard Webhooks takes', () => {
    expect(new Webhook(createSigningSecret()).sign('msg_1', new Date(0), '{}')).toMatch(/^v1,/);
  });

  it('is another one every time', () => {
    expect(new Set(Array.from({ length: 100 }, createSigningSecret)).size).toBe(100);
  });
});

describe('the signature of a webhook', () => {
  it('is that of the example of Standard Webhooks', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: Buffer.from('{"test": 2432232314}') };
    expect(signWebhook(message, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it.each(['', '{}', '{"text":"Grüße 🎬"}'])('of %j equals that of the library', (body) => {
    const secret = createSigningSecret();
    const headers = signWebhook({ id: 'msg_1', timestamp: 1_700_000_000, body: body ? Buffer.from(body) : null }, secret);
    expect(headers['webhook-signature']).toBe(new Webhook(secret).sign('msg_1', new Date(1_700_000_000_000), body));
  });
});
