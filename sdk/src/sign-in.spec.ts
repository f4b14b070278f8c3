import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProblemError } from './problem-error.js';
import { beginSignIn, finishSignIn, restoreSession, Session, signInAsClient, type Tokens } from './sign-in.js';

const tokens = (number: number, expiresAt: number): Tokens => ({
  ...{ accessToken: `access-${number}`, refreshToken: `refresh-${number}`, expiresAt, claims: null },
});

it('uses each refresh token once, however many calls need a token', async () => {
  const used: (string | null)[] = [];
  const renew = async (refreshToken: string | null) => {
    used.push(refreshToken);
    await new Promise(setImmediate);
    return tokens(used.length, Date.now() + 900_000);
  };
  const session = new Session(tokens(0, 0), { renew, revoke: async () => {} });
  const kept: string[] = [];
  session.onTokens = ({ accessToken }) => kept.push(accessToken);
  const results = new Set<string>();
  const ask = async (times: number): Promise<void> => {
    results.add(await session.accessToken());
    if (times > 0) await ask(times - 1);
  };
  // Each asks again as soon as it has an answer, and others in the microtasks between.
  await Promise.all([ask(3), ask(3), Promise.resolve().then(() => ask(3)), new Promise(setImmediate).then(() => ask(3))]);
  expect([used, kept, [...results]]).toEqual([['refresh-0'], ['access-1'], ['access-1']]);
  expect(await session.accessToken('access-1')).toBe('access-2');
  expect(used).toEqual(['refresh-0', 'refresh-1']);
});

it('tells that it has ended when the service refuses to renew it, and when its tokens are revoked, but not when the network fails', async () => {
  const refusal = (status: number, code: string) => new ProblemError({ status, code, detail: '' });
  for (const [error, ends] of [
    [refusal(401, 'session_expired'), 1],
    [refusal(400, 'invalid_grant'), 1],
    [refusal(0, 'network'), 0],
  ] as const) {
    const session = new Session(tokens(0, 0), { renew: async () => await Promise.reject(error), revoke: async () => {} });
    let ended = 0;
    session.onEnded = () => {
      ended += 1;
    };
    await expect(session.accessToken()).rejects.toBe(error);
    expect([error.code, ended]).toEqual([error.code, ends]);
    await session.signOut();
    expect([error.code, ended]).toEqual([error.code, ends + 1]);
  }
});

describe('with a service', () => {
  let service: Server;
  let baseUrl: string;
  /** The requests for tokens and their revocation, without those of the metadata. */
  let asked: string[];
  /** The next answers to them; without one the service issues the next access token. */
  let refusals: { status: number; body: object; headers?: Record<string, string> }[];
  let issued: number;

  beforeAll(async () => {
    service = createServer(async (request, response) => {
      const answer = (status: number, body: object, headers: Record<string, string> = {}) =>
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
      if (request.url === '/.well-known/oauth-authorization-server') {
        const endpoints = ['authorization', 'token', 'revocation'].map((name) => [`${name}_endpoint`, `${baseUrl}/${name}`]);
        return answer(200, { issuer: baseUrl, ...Object.fromEntries(endpoints) });
      }
      const [, credentials = 'public'] = request.headers.authorization?.split(' ') ?? [];
      const body = new URLSearchParams(await text(request));
      for (const name of ['code_verifier', 'redirect_uri']) body.delete(name);
      asked.push(`${request.url?.slice(1)} ${credentials === 'public' ? credentials : atob(credentials)} ${body}`);
      const refusal = refusals.shift();
      if (refusal) return answer(refusal.status, refusal.body, refusal.headers);
      if (request.url === '/revocation') return response.writeHead(200, { 'content-length': 0 }).end();
      issued += 1;
      answer(200, { access_token: `access-${issued}`, token_type: 'bearer', expires_in: 900 });
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    service.closeAllConnections();
    await new Promise((resolve) => service.close(resolve));
  });
  beforeEach(() => {
    [asked, refusals, issued] = [[], [], 0];
  });

  const page = () => ({ baseUrl, clientId: 'newsroom', redirectUri: 'https://newsroom.example/callback' });
  const machine = () => ({ baseUrl, clientId: 'machine', clientSecret: 'secret' });

  describe('a redirect to the client', () => {
    const returned = (parameters: Record<string, string>) => `https://newsroom.example/callback?${new URLSearchParams(parameters)}`;

    it('with the state of the sign-in leads to a session', async () => {
      const { url, pending } = await beginSignIn(page());
      const state = new URL(url).searchParams.get('state') ?? '';
      const session = await finishSignIn(page(), returned({ code: 'c', state }), pending);
      expect(session.tokens).toMatchObject({ accessToken: 'access-1', refreshToken: null, claims: null, supportUserId: null });
      expect(asked).toEqual(['token public code=c&grant_type=authorization_code&client_id=newsroom']);
    });

    it('of support staff tells who acts for the user', async () => {
      const { pending } = await beginSignIn(page());
      const user = { id: 12, customerId: 3, adminLevel: 9, email: 'ada@example.org' };
      refusals = [{ status: 200, body: { access_token: 'support', token_type: 'bearer', expires_in: 900, user, casa: { id: 7 } } }];
      const session = await finishSignIn(page(), returned({ code: 'c', state: pending.state }), pending);
      expect(session.tokens).toMatchObject({ user, supportUserId: 7 });
    });

    it.each([
      ['another state', { code: 'c', state: 'of an attacker' }],
      ['no state', { code: 'c' }],
      ['another state and an error', { error: 'access_denied', state: 'of an attacker' }],
    ])('with %s is refused, and its code is not used', async (_, parameters) => {
      const { pending } = await beginSignIn(page());
      await expect(finishSignIn(page(), returned(parameters), pending)).rejects.toMatchObject({
        name: 'ProblemError',
        code: 'sign_in_failed',
      });
      expect(asked).toEqual([]);
    });

    it('is refused where no sign-in is under way', async () => {
      const nothing = {} as Awaited<ReturnType<typeof beginSignIn>>['pending'];
      for (const parameters of [{ code: 'c' }, { code: 'c', state: 'any' }] as Record<string, string>[]) {
        await expect(finishSignIn(page(), returned(parameters), nothing)).rejects.toMatchObject({ code: 'sign_in_failed' });
      }
      expect(asked).toEqual([]);
    });

    it('that says that the person refused has the code of OAuth', async () => {
      const { pending } = await beginSignIn(page());
      const denied = returned({ error: 'access_denied', error_description: 'Denied.', state: pending.state });
      await expect(finishSignIn(page(), denied, pending)).rejects.toMatchObject({ code: 'access_denied', detail: 'Denied.' });
    });
  });

  describe('a restored session', () => {
    const restored = (tokens: Partial<Tokens>) =>
      restoreSession(page(), {
        accessToken: 'stored',
        refreshToken: 'refresh-0',
        expiresAt: Date.now() + 900_000,
        claims: null,
        ...tokens,
      });

    it('uses the stored access token while it is valid', async () => {
      expect([await restored({}).accessToken(), asked]).toEqual(['stored', []]);
    });

    it('renews an expired or refused access token, and keeps a refresh token that is not replaced', async () => {
      const session = restored({ expiresAt: Date.now() + 1_000 });
      expect([await session.accessToken(), session.tokens.refreshToken]).toEqual(['access-1', 'refresh-0']);
      expect(await session.accessToken('access-1')).toBe('access-2');
      const request = 'token public refresh_token=refresh-0&grant_type=refresh_token&client_id=newsroom';
      expect(asked).toEqual([request, request]);
      await session.signOut();
      expect(asked[2]).toBe('revocation public token=refresh-0&client_id=newsroom');
    });

    it('without a refresh token ends with its access token', async () => {
      const session = restored({ refreshToken: null, expiresAt: Date.now() });
      await expect(session.accessToken()).rejects.toMatchObject({ status: 401, code: 'session_expired' });
      expect(asked).toEqual([]);
    });

    it('whose refresh token was revoked fails with the code of OAuth', async () => {
      refusals = [{ status: 400, body: { error: 'invalid_grant', error_description: 'Revoked.' } }];
      await expect(restored({ expiresAt: 0 }).accessToken()).rejects.toMatchObject({
        status: 400,
        code: 'invalid_grant',
        detail: 'Revoked.',
      });
    });
  });

  describe('a program without a user', () => {
    it('signs in, renews and signs out with its secret', async () => {
      const session = await signInAsClient({ ...machine(), scope: 'api:read' });
      expect([await session.accessToken(), await session.accessToken('access-1')]).toEqual(['access-1', 'access-2']);
      await session.signOut();
      const request = 'token machine:secret scope=api%3Aread&grant_type=client_credentials';
      expect(asked).toEqual([request, request, 'revocation machine:secret token=access-2']);
    });

    it('with a wrong secret receives a ProblemError', async () => {
      const headers = { 'www-authenticate': 'Basic realm="token"' };
      refusals = [
        { status: 401, body: { error: 'invalid_client' }, headers },
        { status: 401, body: { error: 'invalid_client' } },
      ];
      for (let n = 0; n < 2; n += 1) {
        await expect(signInAsClient(machine())).rejects.toMatchObject({ name: 'ProblemError', status: 401, code: 'invalid_client' });
      }
    });
  });
});
