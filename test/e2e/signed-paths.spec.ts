import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import acSignature from 'ac-signature';
import { AccessKeysService } from '../../src/modules/accounts/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';

const SECRET = 'the secret of the access key, long enough';
const PARAMETER = /:(\w+)/g;

type Operations = Record<string, { security?: object[] }>;

/** Every operation of the document with a parameter in its path, and whether it needs no caller. */
const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, Operations> };
const named = Object.entries(paths)
  .filter(([path]) => path.includes('{'))
  .flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security = [{}] }]) => {
      const name = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
      return [name, security.length === 0 || security.some((one) => Object.keys(one).length === 0)] as const;
    }),
  );

describe('a signed request with a parameter in its path', () => {
  const app = useTestApp();
  let identifier = 470_000;
  beforeAll(async () => {
    const user = await aUser(app, { adminLevel: 10 });
    await app.app.get(AccessKeysService).declare({ accessKey: 'key', accessSecret: SECRET, userId: user.id });
  });

  /** Sends the request with a value in its path that nothing has, and answers what a client is told about its signature, if anything. */
  async function complaintOf(route: string, payloadOf: (names: readonly string[], value: number) => object): Promise<string | null> {
    const [method = '', pattern = ''] = route.split(' ');
    identifier += 1;
    const path = pattern.replaceAll(PARAMETER, String(identifier));
    const payload = payloadOf(
      [...pattern.matchAll(PARAMETER)].map(([, name = '']) => name),
      identifier,
    );
    const ts = Math.floor(Date.now() / 1_000);
    const { hash } = acSignature.sign5({ path, payload, ts, accessKey: 'key', accessSecret: SECRET });
    const signature = { accesskey: 'key', rts: String(ts), hash, version: '5' };
    const headers = Object.fromEntries(Object.entries(signature).map(([name, value]) => [`x-service-${name}`, value]));
    const response = await fetch(`${app.url}${path}`, { method, headers, redirect: 'manual' });
    expect(response.status).toBeLessThan(500);
    return /signature_\w+/.exec(await response.text())?.[0] ?? null;
  }

  it.each(named)('%s is verified if its parameter is signed as id, under its name, or not at all', async (route, isPublic) => {
    expect(await complaintOf(route, () => ({}))).toBeNull();
    expect(await complaintOf(route, (names, value) => Object.fromEntries(names.map((name) => [name, value])))).toBeNull();
    const [, ...others] = route.matchAll(PARAMETER);
    if (others.length === 0) expect(await complaintOf(route, (_, id) => ({ id }))).toBeNull();
    if (!isPublic) expect(await complaintOf(route, (_, value) => ({ id: value + 1 }))).toBe('signature_mismatch');
  });

  it('signs the media container of an embed link under the name of the specification', async () => {
    for (const method of ['GET', 'POST']) {
      expect(await complaintOf(`${method} /v5/embedlink/:id`, (_, mediaContainerId) => ({ mediaContainerId }))).toBeNull();
    }
  });

  it('signs the template of a subscription under the name of the specification', async () => {
    expect(await complaintOf('POST /v5/subscriptions/:template', (_, template) => ({ template }))).toBeNull();
  });
});
