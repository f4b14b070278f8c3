import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newSigningSecret } from './new-signing-secret.js';

describe('a new signing secret', () => {
  it('is 32 bytes in base64 behind whsec_', () => {
    const secret = newSigningSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  });

  it('is one that the library of Standard Webhooks takes', () => {
    expect(new Webhook(newSigningSecret()).sign('msg_1', new Date(0), '{}')).toMatch(/^v1,/);
  });

  it('is another one every time', () => {
    expect(new Set(Array.from({ length: 100 }, newSigningSecret)).size).toBe(100);
  });
});
