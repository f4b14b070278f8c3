import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FakeClock } from '../../../../shared/clock.js';
import { loadConfig } from '../../../../shared/config/index.js';
import { SecretBoxService } from '../../../../shared/secrets/index.js';
import { InstructionTokensService } from './instruction-tokens.service.js';

describe('the token of an instruction', () => {
  const clock = new FakeClock(new Date('2026-01-01T12:00:00Z'));
  const inProcess = (secret = 'the secret of this installation, long enough') =>
    new InstructionTokensService(new SecretBoxService(loadConfig({ APP_SECRET: secret })), clock);
  const claims = { userId: 12, subscriptionId: 7, depth: 3 };

  it('identifies its user in every process of the service', () => {
    const token = inProcess().issue(claims);
    expect(token).toMatch(/^sit_[\w-]+$/);
    expect(inProcess().open(token)).toEqual(claims);
    expect(inProcess('the secret of another installation, long').open(token)).toBeNull();
  });

  it('ends after a minute', () => {
    const token = inProcess().issue(claims);
    clock.advance(59);
    expect(inProcess().open(token)).toEqual(claims);
    clock.advance(1);
    expect(inProcess().open(token)).toBeNull();
  });

  it('cannot be created or changed without APP_SECRET', () => {
    const token = inProcess().issue(claims);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.integer({ min: 1, max: 127 }), (at, change) => {
        const changed = token.slice(0, at) + String.fromCharCode(token.charCodeAt(at) ^ change) + token.slice(at + 1);
        const same = Buffer.from(changed.slice(4), 'base64url').equals(Buffer.from(token.slice(4), 'base64url'));
        fc.pre(!(changed.startsWith('sit_') && same));
        expect(inProcess().open(changed)).toBeNull();
      }),
    );
    for (const other of ['', 'sit_', 'sit_AAAA', 'sit_e30', 'eyJhbGciOiJub25lIn0.e30.']) expect(inProcess().open(other)).toBeNull();
  });
});
