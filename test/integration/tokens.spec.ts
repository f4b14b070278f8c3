import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exportJWK, generateKeyPair, importJWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import {
  type AccessTokenClaims,
  AccessTokenIssuerService,
  AuthorizationsService,
  ServerKeysService,
  TokenStatesService,
  TokenVerifierService,
} from '../../src/modules/access/index.js';
import { Customer, User } from '../../src/modules/accounts/index.js';
import { Client } from '../../src/modules/oauth/index.js';
import { FakeClock } from '../../src/shared/clock.js';
import { Database } from '../../src/shared/database/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';

const start = new Date('2026-01-01T00:00:00Z');
const seconds = Math.floor(start.getTime() / 1_000);

let process: TestContext;
let other: TestContext;
let database: Database;
let keys: ServerKeysService;
beforeAll(async () => {
  process = await startTestContext();
  other = await startTestContext({ database: process.database });
  database = process.get(Database);
  keys = process.get(ServerKeysService);
});
afterAll(async () => {
  await other.close();
  await process.close();
});

describe('the verification of an access token', () => {
  let clock: FakeClock;
  let verifier: TokenVerifierService;
  beforeEach(() => {
    clock = new FakeClock(start);
    verifier = new TokenVerifierService(process.config, keys, clock);
  });

  const claims = (): JWTPayload => ({
    iss: process.config.publicUrl,
    aud: process.config.publicUrl,
    sub: '12',
    jti: randomUUID(),
    iat: seconds,
    exp: seconds + 60,
    client_id: 'newsroom',
    scope: 'api openid',
    authorization_id: 7,
    authorization_generation: 3,
  });

  const ourKey = async () => {
    const [key] = (await keys.current()).signing;
    if (!key) throw new Error('There is always a key.');
    return key;
  };

  /** A token signed with our key; undefined members are left out. */
  async function sign(payload: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
    const key = await ourKey();
    return await new SignJWT({ ...claims(), ...payload })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header })
      .sign(await importJWK(key, 'ES256'));
  }

  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('reads the claims of its own tokens', async () => {
    const jti = randomUUID();
    expect(await verifier.verify(await sign({ jti }))).toEqual({
      claims: {
        jti,
        userId: 12,
        clientId: 'newsroom',
        scope: 'api openid',
        audience: [process.config.publicUrl],
        issuedAt: seconds,
        expiresAt: seconds + 60,
        authorizationId: 7,
        generation: 3,
        authentication: {},
        supportUserId: null,
      },
    });
    const authentication = { acr: 'mfa', amr: ['pwd', 'otp', 'mfa'] };
    expect(await verifier.verify(await sign(authentication))).toMatchObject({ claims: { authentication } });
    expect(await verifier.verify(await sign({ casa: { id: 5, reason: 'a ticket' } }))).toMatchObject({ claims: { supportUserId: 5 } });
  });

  it('accepts tokens of the service for their lifetime', async () => {
    const tokens = new AccessTokenIssuerService(process.config, keys, clock);
    const { accessToken: token } = await tokens.issue({
      userId: 12,
      clientId: 'newsroom',
      scope: 'api',
      authorization: { id: 7, generation: 2 },
    });
    const { accessToken: alone } = await tokens.issue({ userId: 12, clientId: 'newsroom', scope: 'api', authorization: null });
    const lifetime = process.config.accessTokenTtlSeconds;
    expect(await verifier.verify(token)).toMatchObject({ claims: { authorizationId: 7, generation: 2, expiresAt: seconds + lifetime } });
    expect(await verifier.verify(alone)).toMatchObject({ claims: { authorizationId: null } });
    clock.advance(lifetime);
    expect(await verifier.verify(token)).toEqual({ refused: 'expired' });
  });

  it('refuses a token from the second of its expiry on, whether it was seen before or not', async () => {
    const [seen, unseen] = [await sign(), await sign()];
    expect(await verifier.verify(seen)).toMatchObject({ claims: {} });
    clock.advance(59.999);
    expect(await verifier.verify(seen)).toMatchObject({ claims: {} });
    clock.advance(0.001);
    expect(await verifier.verify(seen)).toEqual({ refused: 'expired' });
    expect(await verifier.verify(unseen)).toEqual({ refused: 'expired' });
  });

  it('refuses whatever was changed in it, wherever', async () => {
    const token = await sign();
    await verifier.verify(token); // the good one is remembered
    const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=~'];
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...alphabet), async (at, letter) => {
        fc.pre(token[at] !== letter);
        const changed = token.slice(0, at) + letter + token.slice(at + 1);
        // The last letter of each part carries bits that base64url ignores; what decodes to the same bytes is the same token.
        const same =
          changed.split('.').length === 3 &&
          changed
            .split('.')
            .every((piece, index) => Buffer.from(piece, 'base64url').equals(Buffer.from(token.split('.')[index] ?? '', 'base64url')));
        if (!same) expect(await verifier.verify(changed)).toEqual({ refused: 'invalid' });
      }),
    );
  });

  it('refuses malformed tokens without failing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.base64String()), async (text) => {
        expect(await verifier.verify(text)).toEqual({ refused: 'invalid' });
      }),
    );
    for (const text of ['..', 'a.b.c', `${part({})}.${part({})}.`, `${part({ alg: 'ES256' })}.${part({})}.AAAA`]) {
      expect(await verifier.verify(text)).toEqual({ refused: 'invalid' });
    }
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example' }],
    ['no issuer', { iss: undefined }],
    ['no audience', { aud: undefined }],
    ['no user', { sub: undefined }],
    ['a user that is no number', { sub: 'ada' }],
    ['a user beyond all numbers', { sub: '2147483648' }],
    ['no identifier', { jti: undefined }],
    ['no client', { client_id: undefined }],
    ['no expiry', { exp: undefined }],
    ['no time of issue', { iat: undefined }],
    ['a time to come', { nbf: seconds + 1 }],
    ['an authorization that is no number', { authorization_id: '7' }],
    ['an authorization that is no whole number', { authorization_id: 7.5 }],
    ['a generation that is no number', { authorization_generation: '3' }],
    ['support by nobody', { casa: {} }],
    ['support by null', { casa: null }],
    ['support by a name', { casa: { id: 'ada' } }],
  ])('refuses a token with %s', async (_name, payload) => {
    expect(await verifier.verify(await sign(payload as JWTPayload))).toEqual({ refused: 'invalid' });
  });

  it.each(['JWT', 'id_token+jwt', 'logout+jwt', '', undefined])(
    'refuses a token of the type %j, which is for something else',
    async (typ) => {
      expect(await verifier.verify(await sign({}, { typ }))).toEqual({ refused: 'invalid' });
    },
  );

  it('knows the type under its longer name (RFC 7515 section 4.1.9)', async () => {
    expect(await verifier.verify(await sign({}, { typ: 'application/at+jwt' }))).toMatchObject({ claims: {} });
  });

  it('refuses a token without signature, or signed with a public value', async () => {
    const { kid, x, y } = await ourKey();
    const body = part(claims());
    const none = `${part({ alg: 'none', typ: 'at+jwt', kid })}.${body}.`;
    const header = part({ alg: 'HS256', typ: 'at+jwt', kid });
    const hmac = (secret: string) => `${header}.${body}.${createHmac('sha256', secret).update(`${header}.${body}`).digest('base64url')}`;
    for (const token of [none, hmac(''), hmac(String(x)), hmac(JSON.stringify({ kty: 'EC', crv: 'P-256', x, y }))]) {
      expect(await verifier.verify(token)).toEqual({ refused: 'invalid' });
    }
  });

  it('refuses a token signed with a foreign key, under a known kid or embedded', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const { d: _, ...jwk } = await exportJWK(privateKey);
    const { kid } = await ourKey();
    for (const header of [{ kid }, { kid: 'theirs' }, { kid, jwk }, { kid, jku: 'https://evil.example/jwks' }, {}]) {
      const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...header }).sign(privateKey);
      expect(await verifier.verify(token)).toEqual({ refused: 'invalid' });
    }
  });

  it('does not call a token bad because the keys cannot be read', async () => {
    const failing = {
      current: async () => Promise.reject(new Error('the database is away')),
      onChange: () => {},
    } as unknown as ServerKeysService;
    await expect(new TokenVerifierService(process.config, failing, clock).verify(await sign())).rejects.toThrow('the database is away');
  });
});

describe('the state of a token', () => {
  let user: User;
  let clientId: string;
  beforeEach(async () => {
    const { id: customerId } = await database.repository(Customer).save({ name: randomUUID() });
    user = await database.repository(User).save({ customerId, email: `${randomUUID()}@example.org`, adminLevel: 4 });
    clientId = randomUUID();
    await database.repository(Client).save({ clientId, name: 'Newsroom', type: 'web', redirectUris: [], grantTypes: [] });
  });

  const authorize = async (device: string | null = null) =>
    await process.get(AuthorizationsService).grant({ userId: user.id, clientId, device, scope: 'api', resources: [] });

  const claimsOf = (authorization: { id: number; generation: number } | null): AccessTokenClaims => ({
    jti: randomUUID(),
    userId: user.id,
    clientId,
    scope: 'api',
    audience: [],
    issuedAt: 0,
    expiresAt: 0,
    authorizationId: authorization?.id ?? null,
    generation: authorization?.generation ?? 0,
    authentication: {},
    supportUserId: null,
  });

  const find = async (claims: AccessTokenClaims) => await process.get(TokenStatesService).find(claims);

  it('contains the user with current rights and the device', async () => {
    expect(await find(claimsOf(await authorize('phone')))).toEqual({
      device: 'phone',
      principal: {
        id: user.id,
        customerId: user.customerId,
        email: user.email,
        kind: 'person',
        firstname: '',
        lastname: '',
        adminLevel: 4,
      },
    });
    expect(await find(claimsOf(await authorize()))).toMatchObject({ device: null });
  });

  it('of a client that acts for itself needs no authorization', async () => {
    expect(await find(claimsOf(null))).toMatchObject({ device: null, principal: { id: user.id } });
  });

  it('has the rights of this moment', async () => {
    const claims = claimsOf(await authorize());
    await find(claims);
    await database.repository(User).update({ id: user.id }, { adminLevel: 9 });
    expect(await find(claims)).toMatchObject({ principal: { adminLevel: 9 } });
  });

  it.each<[string, (claims: AccessTokenClaims, grantId: string) => Promise<unknown>]>([
    [
      'its authorization was ended',
      async ({ authorizationId }) => await service().deauthorize({ userId: user.id, supportUserId: null }, { id: authorizationId ?? 0 }),
    ],
    ['its authorization was ended by its grant', async (_claims, grantId) => await service().deleteByGrantId(grantId)],
    ['all tokens of its authorization were revoked', async (_claims, grantId) => await service().revokeTokens(grantId)],
    ['it was revoked itself', async (claims) => await revoke(claims)],
    ['its user was disabled', async () => await database.repository(User).update({ id: user.id }, { disabledAt: new Date() })],
    ['its client was removed', async () => await database.repository(Client).delete({ clientId })],
    ['its user was removed', async () => await database.repository(User).delete({ id: user.id })],
  ])('ends at once, on every process, when %s', async (_name, end) => {
    const authorization = await authorize();
    const claims = claimsOf(authorization);
    expect([await find(claims), await other.get(TokenStatesService).find(claims)]).toEqual([expect.anything(), expect.anything()]);
    await end(claims, authorization.grantId);
    expect([await find(claims), await other.get(TokenStatesService).find(claims)]).toEqual([null, null]);
  });
  const service = () => process.get(AuthorizationsService);
  const revoke = async ({ jti, expiresAt }: AccessTokenClaims) =>
    await process.get(TokenStatesService).revoke(jti, new Date(expiresAt * 1_000));

  describe('of support staff', () => {
    const inAnHour = () => new Date(Date.now() + 3_600_000);
    let staff: User;
    beforeEach(async () => {
      const { id: customerId } = await database.repository(Customer).save({ name: randomUUID(), operator: true });
      staff = await database.repository(User).save({ customerId, email: `${randomUUID()}@example.org` });
      await database.repository(Customer).update({ id: user.customerId }, { supportAccessUntil: inAnHour() });
    });

    it.each<[string, () => Promise<unknown>]>([
      [
        'the customer closes the window',
        async () => await database.repository(Customer).update({ id: user.customerId }, { supportAccessUntil: null }),
      ],
      [
        'the time of the window has passed',
        async () => await database.repository(Customer).update({ id: user.customerId }, { supportAccessUntil: new Date(Date.now() - 1) }),
      ],
      ['the member of staff is disabled', async () => await database.repository(User).update({ id: staff.id }, { disabledAt: new Date() })],
      [
        'the staff is no operator any more',
        async () => await database.repository(Customer).update({ id: staff.customerId }, { operator: false }),
      ],
      ['the user is disabled', async () => await database.repository(User).update({ id: user.id }, { disabledAt: new Date() })],
    ])('lasts until %s', async (_name, close) => {
      const claims = { ...claimsOf(await authorize()), supportUserId: staff.id };
      expect(await find(claims)).toMatchObject({ principal: { id: user.id } });
      await close();
      expect(await find(claims)).toBeNull();
    });
  });

  it('of others is unaffected by the revocation of one token', async () => {
    const authorization = await authorize();
    const [ended, going] = [claimsOf(authorization), claimsOf(authorization)];
    await revoke(ended);
    await revoke(ended); // twice is no error
    expect([await find(ended), await find(going)]).toEqual([null, expect.anything()]);
  });

  it('is valid for tokens that are issued after a revocation of all', async () => {
    const before = await authorize();
    await service().revokeTokens(before.grantId);
    const after = await authorize();
    expect(after).toMatchObject({ id: before.id, generation: before.generation + 1 });
    expect([await find(claimsOf(before)), await find(claimsOf(after))]).toEqual([null, expect.anything()]);
  });

  it('is each its own when many are asked for at once', async () => {
    const [ours, ended] = [await authorize('a'), await authorize('b')];
    await service().deleteByGrantId(ended.grantId);
    const revoked = claimsOf(ours);
    await revoke(revoked);
    const asked = [claimsOf(ours), claimsOf(ended), revoked, claimsOf(null), { ...claimsOf(ours), userId: 2 ** 31 - 1 }];
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await find(asked[index % asked.length] as AccessTokenClaims)),
    );
    const short = answers.map((answer) => (answer ? answer.device : 'ended'));
    expect(short).toEqual(Array.from({ length: 4 }, () => ['a', 'ended', 'ended', null, 'ended']).flat());
  });
});
