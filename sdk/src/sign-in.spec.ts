import { expect, it } from '@jest/globals';
import { Session, type Tokens } from './sign-in.js';

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
