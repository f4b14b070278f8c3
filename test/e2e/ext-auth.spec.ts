import { beforeAll, describe, expect, it } from '@jest/globals';
import acSignature from 'ac-signature';
import { AccessKeysService } from '../../src/modules/accounts/index.js';
import { Clock, FakeClock } from '../../src/shared/clock.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { aProtectedLink, type EmbeddedMedia, embeddedMedia, outcome, silentStorage } from '../support/browser/embedded-media.js';
import { type Answer, call, tokenOf } from '../support/media/uploads.js';

const SECRET = 'the secret of the access key';
const HOURS = 3_600;
const DENIED = '403 extAuth ext_auth_required';

const app = useTestApp(silentStorage);
let media: EmbeddedMedia;
let count = 0;
beforeAll(async () => {
  media = await embeddedMedia(app);
});

/** A key of a user of its own, of the publisher's customer unless another is named. */
async function aKey(customer = media.publisher.user.customerId) {
  count += 1;
  const accessKey = `key-${count}`;
  const user = await aUser(app);
  await app.app.get(Database).query('UPDATE users SET customer_id = $2 WHERE id = $1', [user.id, customer]);
  await app.app.get(AccessKeysService).declare({ accessKey, accessSecret: SECRET, userId: user.id });
  return { accessKey, user };
}

const linkFor = async (...allowedAccessKeys: string[]) =>
  await aProtectedLink(media, { security: { extAuth: { enabled: true, allowedAccessKeys } } });

type TokenAnswer = Answer<{ token: string; expires_in?: number; code?: string }>;

/** POST /v5/extAuth, signed with the key. */
async function ask(accessKey: string, identifier: unknown, fields: object = {}): Promise<TokenAnswer> {
  const payload = { identifier, type: 'embedlink', ...fields };
  const ts = Math.floor(app.app.get(Clock).now().getTime() / 1_000);
  const { hash } = acSignature.sign5({ path: '/v5/extAuth', payload, ts, accessKey, accessSecret: SECRET });
  const signature = { accesskey: accessKey, rts: String(ts), hash, version: '5' };
  const headers = Object.fromEntries(Object.entries(signature).map(([name, value]) => [`x-service-${name}`, value]));
  return await call(`${app.url}/v5/extAuth`, { method: 'POST', body: payload, headers });
}

const wrapped = (token: string, name = 'viewer', encoding: 'base64' | 'base64url' = 'base64') =>
  Buffer.from(`${name}:${token}`).toString(encoding);
const seen = async (link: string, auth: string) => await outcome(app.url, link, { query: { auth } });

describe('external authentication', () => {
  it('admits a viewer to the link of the token, by ?auth= or as bearer token', async () => {
    const { accessKey } = await aKey();
    const { link } = await linkFor(accessKey);
    const { status, body, headers } = await ask(accessKey, link);
    expect({ status, body }).toEqual({ status: 200, body: { token: expect.any(String), expires_in: 4 * HOURS } });
    expect(headers.get('cache-control')).toBe('no-store');
    const { token } = body;
    expect(await outcome(app.url, link)).toBe(DENIED);
    for (const auth of [wrapped(token), wrapped(token, ''), wrapped(token, 'a:b:c'), wrapped(token, 'ümlaut', 'base64url')]) {
      expect(await seen(link, auth)).toBe('delivered');
    }
    expect(await outcome(app.url, link, { headers: { authorization: `Bearer ${token}` } })).toBe('delivered');
    for (const auth of [token, '', ':', wrapped(''), wrapped('x'), 'a:b', wrapped(`${token} `)])
      expect(await seen(link, auth)).toBe(DENIED);
  });

  it('accepts a token only for its own link, and no modified one', async () => {
    const { accessKey } = await aKey();
    const [{ link }, { link: second }] = [await linkFor(accessKey), await linkFor(accessKey)];
    const { token } = (await ask(accessKey, link)).body;
    expect(await seen(second, wrapped(token))).toBe(DENIED);
    for (let index = 0; index < token.length; index += 7) {
      const other = token[index] === 'A' ? 'B' : 'A';
      expect(await seen(link, wrapped(`${token.slice(0, index)}${other}${token.slice(index + 1)}`))).toBe(DENIED);
    }
    const [, ...rest] = token.split('.');
    expect(await seen(link, wrapped(['99999999999', ...rest].join('.')))).toBe(DENIED);
  });

  it('ends with the time of the token', async () => {
    const { accessKey } = await aKey();
    const { link } = await linkFor(accessKey);
    const clock = new FakeClock(new Date());
    const spy = app.app.get(Clock);
    const now = spy.now.bind(spy);
    spy.now = () => clock.now();
    try {
      const { token } = (await ask(accessKey, link)).body;
      clock.advance(4 * HOURS - 2);
      expect(await seen(link, wrapped(token))).toBe('delivered');
      clock.advance(2);
      expect(await seen(link, wrapped(token))).toBe(DENIED);
    } finally {
      spy.now = now;
    }
  });

  it('ends at once when the key is taken off the list', async () => {
    const [{ accessKey }, { accessKey: kept }] = [await aKey(), await aKey()];
    const { link, configuration } = await linkFor(accessKey, kept);
    const [{ token }, { token: keptToken }] = [(await ask(accessKey, link)).body, (await ask(kept, link)).body];
    expect(await seen(link, wrapped(token))).toBe('delivered');
    const securitySettings = { authOnly: false, extAuth: { enabled: true, allowedAccessKeys: [kept] } };
    await media.publisher.update(configuration.id, { formats: configuration.formats, securitySettings });
    expect(await seen(link, wrapped(token))).toBe(DENIED);
    expect(await seen(link, wrapped(keptToken))).toBe('delivered');
    expect((await ask(accessKey, link, { again: true })).body.code).toBe('access_key_not_allowed');
  });

  it('ends immediately when the user of the key is disabled or the key is deleted', async () => {
    const [first, second] = [await aKey(), await aKey()];
    const { link } = await linkFor(first.accessKey, second.accessKey);
    const [{ token }, { token: other }] = [(await ask(first.accessKey, link)).body, (await ask(second.accessKey, link)).body];
    await app.app.get(Database).query('UPDATE users SET disabled_at = now() WHERE id = $1', [first.user.id]);
    expect(await seen(link, wrapped(token))).toBe(DENIED);
    expect(await seen(link, wrapped(other))).toBe('delivered');
    await app.app.get(Database).query('DELETE FROM access_keys WHERE access_key = $1', [second.accessKey]);
    expect(await seen(link, wrapped(other))).toBe(DENIED);
  });

  it('is for signed requests', async () => {
    const { accessKey, user } = await aKey();
    const { link } = await linkFor(accessKey);
    const body = { identifier: link, type: 'embedlink' };
    const answer = await call(`${app.url}/v5/extAuth`, { token: await tokenOf(app, user), body });
    expect([answer.status, answer.body.code]).toEqual([403, 'signature_required']);
    expect((await call(`${app.url}/v5/extAuth`, { body })).status).toBe(401);
    expect((await ask('unknown', link)).body.code).toBe('signature_mismatch');
  });

  it('accepts only keys in the list of a configuration where it is enabled', async () => {
    const { accessKey } = await aKey();
    const others = await linkFor('somebody-else');
    const off = await aProtectedLink(media, { security: { extAuth: { enabled: false, allowedAccessKeys: [accessKey] } } });
    for (const { link } of [others, off, await aProtectedLink(media)]) {
      const { status, body } = await ask(accessKey, link);
      expect([status, body.code]).toEqual([403, 'access_key_not_allowed']);
    }
  });

  it('does not find links that are unknown, deleted or of another customer', async () => {
    const { accessKey } = await aKey();
    const stranger = await embeddedMedia(app);
    const foreign = await aProtectedLink(stranger, { security: { extAuth: { enabled: true, allowedAccessKeys: [accessKey] } } });
    expect((await ask(accessKey, foreign.link)).status).toBe(404);
    expect((await ask(accessKey, '6f1d2c1e-0000-4000-8000-000000000000')).status).toBe(404);
    const { id, link } = await linkFor(accessKey);
    await media.publisher.unlink(id);
    expect((await ask(accessKey, link)).body.code).toBe('link_ended');
  });

  it('does not take the key of another customer, although it is in the list', async () => {
    const { accessKey, user } = await aKey();
    const { link } = await linkFor(accessKey);
    const { token } = (await ask(accessKey, link)).body;
    const { customerId } = await aUser(app);
    await app.app.get(Database).query('UPDATE users SET customer_id = $2 WHERE id = $1', [user.id, customerId]);
    expect(await seen(link, wrapped(token))).toBe(DENIED);
  });

  it.each([
    ['identifier', { identifier: 'x' }],
    ['identifier', { identifier: 7 }],
    ['type', { type: 'downloadlink' }],
  ])('wants a link and its type: %s', async (path, fields) => {
    const { accessKey } = await aKey();
    const { status, body } = await ask(accessKey, '6f1d2c1e-0000-4000-8000-000000000000', fields);
    expect([status, body]).toEqual([400, expect.objectContaining({ errors: [expect.objectContaining({ path })] })]);
  });
});
