import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CredentialIssuer, PolicyTooLarge } from '../../src/modules/uploads/credentials/credential-issuer.port.js';
import { fitsPolicy, sessionPolicy } from '../../src/modules/uploads/credentials/credential-sets.js';
import { FakeCredentialIssuer } from '../../src/modules/uploads/credentials/fake-credential-issuer.js';
import { StsCredentialIssuer } from '../../src/modules/uploads/credentials/sts-credential-issuer.adapter.js';
import { FakeClock } from '../../src/shared/clock.js';
import { type Config, loadConfig } from '../../src/shared/config/index.js';
import { HealthChecksService } from '../../src/shared/health/health-checks.service.js';
import { createLog } from '../../src/shared/logging/index.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

const log = createLog({ level: 'silent', service: 'test' });
let local: TestStorage;
let config: Config;

beforeAll(async () => {
  local = await startTestStorage();
  config = { ...loadConfig({}), ...local.settings };
});

afterAll(async () => await local.close());

describe.each<[string, () => CredentialIssuer & { maxKeys?: number }]>([
  ['made up', () => Object.assign(new FakeCredentialIssuer(), { maxKeys: 19 })],
  ['STS', () => new StsCredentialIssuer(config, log, new HealthChecksService(new FakeClock(new Date()), log))],
])('an issuer of credentials (%s)', (_, make) => {
  const ask = (keys: readonly string[]) => ({ policy: sessionPolicy('media', keys), ttlSeconds: 900, sessionName: 'upload-1' });

  it('hands out a key, a secret and a token that end when they were asked to', async () => {
    const before = Date.now();
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = await make().issue(ask(['a']));
    for (const part of [AccessKeyId, SecretAccessKey, SessionToken]) expect(part).toEqual(expect.stringMatching(/.+/));
    const seconds = (Date.parse(Expiration) - before) / 1_000;
    expect(seconds).toBeGreaterThan(890);
    expect(seconds).toBeLessThan(960);
  });

  it('does so every time, with keys that have to be escaped too', async () => {
    const issuer = make();
    const issued = [await issuer.issue(ask(['a'])), await issuer.issue(ask(['a'])), await issuer.issue(ask(["ä b&c='d+e%2F/(f)!~"]))];
    expect(new Set(issued.map(({ AccessKeyId }) => AccessKeyId)).size).toBe(3);
    expect(issued).toEqual(issued.map(({ Expiration }) => expect.objectContaining({ Expiration: new Date(Expiration).toISOString() })));
  });

  it('reports a policy that is too large after compression', async () => {
    const keys = Array.from({ length: 20 }, () => randomBytes(30).toString('hex'));
    expect(fitsPolicy('media', keys)).toBe(true);
    const issuer = make();
    await expect(issuer.issue(ask(keys))).rejects.toBeInstanceOf(PolicyTooLarge);
    await expect(issuer.issue(ask(keys))).rejects.toBeInstanceOf(PolicyTooLarge);
  });
});
