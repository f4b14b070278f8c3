import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Client } from '../../src/modules/oauth/index.js';
import { ProviderAnswersService } from '../../src/modules/oauth/provider/provider-answers.service.js';
import { basic, call } from '../support/accounts/oauth.js';
import { aClient } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

describe('an invalid request to the token endpoint', () => {
  const app = useTestApp();
  let open: Client;
  let confidential: Client;
  beforeAll(async () => {
    open = await aClient(app);
    confidential = await aClient(app, { clientSecret: 'right' });
  });

  /** RFC 6749 section 5.2, and nothing that tells of our insides. */
  async function expectError(
    sent: { body?: RequestInit['body']; type?: string; headers?: Record<string, string>; path?: string },
    expected: { status?: number; error: string },
  ) {
    const headers = { ...(sent.type === undefined ? {} : { 'content-type': sent.type }), ...sent.headers };
    const answer = await call(`${app.url}${sent.path ?? '/v4/token'}`, { method: 'POST', body: sent.body ?? null, headers });
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: expected.status ?? 400,
      body: { error: expected.error, error_description: expect.any(String) },
    });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(answer.body.error_description).not.toMatch(/node_modules|SELECT|undefined|\[object/);
    return answer;
  }

  const form = (fields: Record<string, string> | [string, string][]) => new URLSearchParams(fields).toString();

  describe('when the database goes away after the tokens were made', () => {
    const lose = () =>
      jest
        .spyOn(app.app.get(ProviderAnswersService), 'complete')
        .mockRejectedValueOnce(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));

    it('is refused as JSON, with the time to try again', async () => {
      lose();
      const body = form({ client_id: open.clientId, grant_type: 'authorization_code', code: 'x' });
      const answer = await expectError({ body, type: FORM }, { status: 503, error: 'temporarily_unavailable' });
      expect(answer.headers.get('retry-after')).toBe('5');
    });

    it('is a page for a browser', async () => {
      lose();
      const answer = await fetch(`${app.url}/v4/authorize?client_id=${open.clientId}`, {
        headers: { accept: 'text/html' },
        redirect: 'manual',
      });
      expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('location')]).toEqual([503, '5', null]);
      expect(await answer.text()).toContain('Try it again later.');
    });
  });

  it.each<[string, (clientId: string) => RequestInit['body'], string, string]>([
    ['names no grant type', (client_id) => form({ client_id }), FORM, 'invalid_request'],
    ['names an unknown grant type', (client_id) => form({ client_id, grant_type: 'password' }), FORM, 'unsupported_grant_type'],
    ['names the implicit grant', (client_id) => form({ client_id, grant_type: 'implicit' }), FORM, 'unsupported_grant_type'],
    [
      'names a grant that the client lacks',
      (client_id) => form({ client_id, grant_type: 'client_credentials' }),
      FORM,
      'unauthorized_client',
    ],
    ['names no client', () => form({ grant_type: 'authorization_code', code: 'x' }), FORM, 'invalid_request'],
    ['has no code', (client_id) => form({ client_id, grant_type: 'authorization_code' }), FORM, 'invalid_request'],
    ['has no refresh token', (client_id) => form({ client_id, grant_type: 'refresh_token' }), FORM, 'invalid_request'],
    [
      'repeats a parameter',
      (client_id) =>
        form([
          ['client_id', client_id],
          ['grant_type', 'authorization_code'],
          ['code', 'a'],
          ['code', 'b'],
        ]),
      FORM,
      'invalid_request',
    ],
    [
      'repeats the grant type',
      (client_id) =>
        form([
          ['client_id', client_id],
          ['grant_type', 'authorization_code'],
          ['grant_type', 'refresh_token'],
        ]),
      FORM,
      'invalid_request',
    ],
    ['is broken JSON', () => '{"grant_type":', JSON_TYPE, 'invalid_request'],
    ['is a JSON list', () => '[]', JSON_TYPE, 'invalid_request'],
    ['is a JSON text', () => '"code"', JSON_TYPE, 'invalid_request'],
    ['is a JSON null', () => 'null', JSON_TYPE, 'invalid_request'],
    ['is deeply nested JSON', () => `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, JSON_TYPE, 'invalid_request'],
    [
      'has an object as code',
      (client_id) => JSON.stringify({ client_id, grant_type: 'authorization_code', code: { a: 1 } }),
      JSON_TYPE,
      'invalid_request',
    ],
    [
      'has a list of codes',
      (client_id) => JSON.stringify({ client_id, grant_type: 'authorization_code', code: ['a', 'b'] }),
      JSON_TYPE,
      'invalid_request',
    ],
    [
      'has half a surrogate pair',
      (client_id) => `{"client_id":"${client_id}","grant_type":"authorization_code","code":"\\ud800"}`,
      JSON_TYPE,
      'invalid_request',
    ],
    ['has a NUL byte in a form', (client_id) => `client_id=${client_id}&grant_type=authorization_code&code=a%00b`, FORM, 'invalid_request'],
    [
      'has a NUL byte in JSON',
      (client_id) => JSON.stringify({ client_id, grant_type: 'authorization_code', code: 'a\0b' }),
      JSON_TYPE,
      'invalid_request',
    ],
    [
      'is 100 kB long',
      (client_id) => form({ client_id, grant_type: 'authorization_code', code: 'c'.repeat(100_000) }),
      FORM,
      'invalid_request',
    ],
    [
      'is 60 kB long',
      (client_id) => form({ client_id, grant_type: 'authorization_code', code: 'c'.repeat(60_000) }),
      FORM,
      'invalid_request',
    ],
    ['is 5 MB long', (client_id) => form({ client_id, code: 'c'.repeat(5_000_000) }), FORM, 'invalid_request'],
    [
      'has objects in a list',
      (client_id) => JSON.stringify({ client_id, grant_type: 'authorization_code', code: 'x', resource: [{ toString: 1 }] }),
      JSON_TYPE,
      'invalid_grant',
    ],
    ['is of another content type', () => 'grant_type=authorization_code', 'text/plain', 'invalid_request'],
    ['is XML', () => '<grant/>', 'application/xml', 'invalid_request'],
    ['is not of the encoding that it says', () => Buffer.from([0xff, 0xfe, 0x00, 0x01]), JSON_TYPE, 'invalid_request'],
  ])('that %s is refused', async (_, body, type, error) => {
    await expectError({ body: body(open.clientId), type }, { error });
  });

  it('without a body is refused', async () => {
    await expectError({}, { error: 'invalid_request' });
    await expectError({ type: FORM }, { error: 'invalid_request' });
    await expectError({ body: '', type: JSON_TYPE }, { error: 'invalid_request' });
  });

  it('puts its parameters into the body, not the query', async () => {
    const query = form({ grant_type: 'authorization_code', client_id: open.clientId, code: 'x' });
    await expectError({ path: `/v4/token?${query}`, type: FORM }, { error: 'invalid_request' });
  });

  it('is refused in JSON, regardless of Accept', async () => {
    await expectError(
      { body: form({ client_id: open.clientId }), type: FORM, headers: { accept: 'text/html' } },
      { error: 'invalid_request' },
    );
  });

  describe('by a client without authentication', () => {
    const attempt = async (
      fields: Record<string, string>,
      expected: { status?: number; error: string },
      headers: Record<string, string> = {},
    ) => await expectError({ body: form({ grant_type: 'refresh_token', refresh_token: 'x', ...fields }), type: FORM, headers }, expected);

    it('is refused when the client is unknown or the secret wrong, missing or needless', async () => {
      const refused = { status: 401, error: 'invalid_client' };
      await attempt({ client_id: 'nobody' }, refused);
      await attempt({ client_id: 'nobody', client_secret: 'x' }, refused);
      await attempt({ client_id: confidential.clientId }, refused);
      await attempt({ client_id: confidential.clientId, client_secret: 'wrong' }, refused);
      await attempt({ client_id: confidential.clientId, client_secret: '' }, refused);
      await attempt({ client_id: open.clientId, client_secret: 'x' }, refused);
    });

    it('gets the scheme if it used HTTP Basic', async () => {
      const refused = { status: 401, error: 'invalid_client' };
      const { headers } = await attempt({}, refused, basic(confidential.clientId, 'wrong'));
      expect(headers.get('www-authenticate')).toMatch(/^Basic realm="/);
      await attempt({}, refused, basic('nobody', 'x'));
    });

    it('is refused if the header is malformed or contradicts the body', async () => {
      for (const authorization of [
        'Basic',
        'Basic !!!',
        `Basic ${Buffer.from('no colon').toString('base64')}`,
        'Bearer abc',
        'Basic YTolWg==',
      ]) {
        await attempt({}, { error: 'invalid_request' }, { authorization });
      }
      await attempt({ client_id: open.clientId }, { error: 'invalid_request' }, basic(confidential.clientId, 'right'));
      await attempt({ client_secret: 'right' }, { error: 'invalid_request' }, basic(confidential.clientId, 'right'));
    });

    it('reaches the grant if it is authenticated', async () => {
      await attempt({ client_id: confidential.clientId, client_secret: 'right' }, { error: 'invalid_grant' });
      await attempt({}, { error: 'invalid_grant' }, basic(confidential.clientId, 'right'));
      await attempt({ clientId: open.clientId }, { error: 'invalid_grant' });
    });
  });

  it('by a method other than POST is not allowed', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      expect(await call(`${app.url}/v4/token`, { method })).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    }
  });
});
