import { beforeAll, describe, expect, it } from '@jest/globals';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { FakeClock } from '../../shared/clock.js';
import { loadConfig } from '../../shared/config/index.js';
import type { ServerKeysService } from './server-keys.service.js';
import { TokenVerifierService } from './token-verifier.service.js';

const NOW = new Date('2026-01-31T12:00:00Z');
const config = loadConfig({});

describe('an access token', () => {
  let privateKey: CryptoKey;
  let verifier: TokenVerifierService;
  beforeAll(async () => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    privateKey = pair.privateKey;
    const jwk: JWK = { ...(await exportJWK(pair.privateKey)), kid: 'one', alg: 'ES256', use: 'sig' };
    const keys = { onChange: () => {}, current: async () => ({ signing: [jwk], cookies: [] }) } as unknown as ServerKeysService;
    verifier = new TokenVerifierService(config, keys, new FakeClock(NOW));
  });

  /** A token that was issued so many seconds from now. */
  const issued = async (seconds: number) => {
    const iat = NOW.getTime() / 1_000 + seconds;
    const claims = { jti: `token ${seconds}`, client_id: 'app', scope: 'api', iat, exp: iat + 3_600 };
    const token = new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' });
    return await token.setIssuer(config.publicUrl).setAudience('api').setSubject('7').sign(privateKey);
  };

  it.each([0, -60, 60])('that was issued %i seconds from now is accepted', async (seconds) => {
    expect(await verifier.verify(await issued(seconds))).toMatchObject({ claims: { jti: `token ${seconds}` } });
  });

  it('that was issued more than a minute from now is refused: the clock of a process is wrong', async () => {
    expect(await verifier.verify(await issued(61))).toEqual({ refused: 'invalid' });
  });
});
