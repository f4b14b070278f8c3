import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseCommandLine } from '../../src/admin/parse-command-line.js';
import { Clock, FakeClock } from '../../src/shared/clock.js';
import { Database } from '../../src/shared/database/index.js';
import { basic, introspect } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens, postToken } from '../support/accounts/scenario.js';
import { admin, applyDocument, auditTrail } from '../support/app/admin.js';
import { useTestApp } from '../support/app/test-app.js';

const LONG = 'a secret of our own, long enough';
const SHORT = 'a secret of our own, too short.';

describe('the secrets of clients', () => {
  const app = useTestApp();
  let clock: FakeClock;
  let count = 0;
  let robot: { clientId: string; [field: string]: unknown };
  beforeAll(async () => {
    clock = new FakeClock(new Date());
    Object.assign(app.app.get(Clock), { now: () => clock.now() });
    await aUser(app, { email: 'robot@example.org' });
  });
  beforeEach(() => {
    count += 1;
    const clientId = `robot-${count}`;
    robot = {
      clientId,
      name: 'Robot',
      type: 'web',
      redirectUris: [],
      grantTypes: ['client_credentials'],
      serviceUser: 'robot@example.org',
    };
  });

  const applied = async (entry: object) => (await applyDocument(app, { clients: [entry] })).clients[0];
  const statusOf = async (secret: string, clientId = robot.clientId) =>
    (await postToken(app.url, { grant_type: 'client_credentials' }, basic(clientId, secret))).status;

  /** What `admin apply` writes to stderr. */
  async function warningsOf(document: object): Promise<string[]> {
    const lines: string[] = [];
    const line = parseCommandLine(['apply', '-']);
    const command = await line?.command.load();
    const stdin = Readable.from([Buffer.from(JSON.stringify(document))]);
    const work = await command?.({
      argument: '-',
      options: {},
      config: app.config,
      stdin,
      inform: (text) => lines.push(text),
      fail: () => undefined,
    });
    await work?.(app.app);
    return lines;
  }

  describe('in a provisioning file', () => {
    it('are made for every client that is confidential, once', async () => {
      const web = {
        ...robot,
        grantTypes: undefined,
        serviceUser: undefined,
        redirectUris: ['https://web.example/callback'],
        confidential: true,
      };
      for (const entry of [robot, { ...web, clientId: `web-${count}` }]) {
        const made = await applied(entry);
        expect(made).toEqual({ id: made?.id, clientId: entry.clientId, clientSecret: expect.stringMatching(/^[\w-]{43}$/) });
        expect(await applied(entry)).toEqual({ id: made?.id, clientId: entry.clientId });
        const asker = basic(entry.clientId, made?.clientSecret ?? '');
        const { access_token } = await obtainTokens(app, { user: { email: 'robot@example.org' }, client: await aClient(app) });
        expect((await introspect(app, { token: access_token }, asker)).body.active).toBe(true);
      }
      expect(await applied({ ...web, clientId: `public-${count}`, confidential: false })).not.toHaveProperty('clientSecret');
      expect(await applied({ ...web, clientId: `open-${count}`, confidential: undefined })).not.toHaveProperty('clientSecret');
    });

    it('have at least 32 characters', async () => {
      expect([SHORT.length, LONG.length]).toEqual([31, 32]);
      const refusal = 'clients.0.clientSecret: must have at least 32 characters';
      await expect(applied({ ...robot, clientSecret: SHORT })).rejects.toThrow(refusal);
      await applied({ ...robot, clientSecret: LONG });
      expect(await statusOf(LONG)).toBe(200);
      await expect(applied({ ...robot, clientSecret: SHORT })).rejects.toThrow(refusal);
      expect([await statusOf(SHORT), await statusOf(LONG)]).toEqual([401, 200]);
    });

    it('stay as they are when a shorter one was stored before, with a warning', async () => {
      const { clientId } = await aClient(app, {
        clientSecret: 's3cret',
        grantTypes: ['client_credentials'],
        serviceUser: 'robot@example.org',
      });
      const old = { ...robot, clientId, clientSecret: 's3cret', name: 'A new name' };
      expect(await warningsOf({ clients: [old] })).toEqual([
        expect.stringContaining(`"${clientId}" keeps its secret of fewer than 32 characters`),
      ]);
      expect(await statusOf('s3cret', clientId)).toBe(200);
      await expect(applied({ ...old, clientSecret: 'another' })).rejects.toThrow('must have at least 32 characters');
      expect(await warningsOf({ clients: [{ ...robot, clientSecret: LONG }] })).toEqual([]);
    });

    it('end when the client is declared public', async () => {
      const web = { ...robot, grantTypes: undefined, serviceUser: undefined, redirectUris: ['https://web.example/callback'] };
      await applied({ ...web, clientSecret: LONG });
      await admin(app, ['clients', 'rotate-secret', robot.clientId, '--keep-old', '1h']);
      await applied({ ...web, confidential: false });
      const { rows } = await app.app
        .get(Database)
        .query('SELECT secret_hash, previous_secret_hash FROM clients WHERE client_id = $1', [robot.clientId]);
      expect(rows).toEqual([{ secret_hash: null, previous_secret_hash: null }]);
      expect((await auditTrail(app)).at(-1)).toContain(`client:${robot.clientId}`);
    });

    it.each([
      [{ confidential: false, clientSecret: LONG }, 'must not be false if a clientSecret is given'],
      [{ confidential: false }, 'must not be false, because of the grant type client_credentials'],
      [{ confidential: 'yes' }, 'must be true or false'],
    ])('contradict nothing: %j', async (fields, problem) => {
      await expect(applied({ ...robot, ...fields })).rejects.toThrow(`clients.0.confidential: ${problem}`);
    });

    it('of access keys may be shorter, with a warning', async () => {
      const key = { accessKey: `key-${count}`, user: 'robot@example.org', accessSecret: SHORT };
      expect(await warningsOf({ accessKeys: [key] })).toEqual([
        expect.stringContaining(`"key-${count}" has a secret of fewer than 32 characters`),
      ]);
      expect(await warningsOf({ accessKeys: [{ ...key, accessSecret: LONG }] })).toEqual([]);
    });
  });

  describe('that are rotated with --keep-old', () => {
    const rotated = async (...options: string[]) =>
      await admin<{ clientSecret: string; oldSecretEndsAt?: string }>(app, ['clients', 'rotate-secret', robot.clientId, ...options]);

    it('both work at every endpoint, until the old one ends by the clock of the service', async () => {
      const old = (await applied(robot))?.clientSecret ?? '';
      const { clientSecret, oldSecretEndsAt } = await rotated('--keep-old', '300s'); // shorter than a token lives, which goes by the same clock
      expect(oldSecretEndsAt).toBe(new Date(clock.now().getTime() + 300_000).toISOString());
      const { body } = await postToken(app.url, { grant_type: 'client_credentials' }, basic(robot.clientId, old));
      const credentials = (secret: string) => ({ client_id: robot.clientId, client_secret: secret });
      const answersTo = async (secret: string) => {
        const revocation = new URLSearchParams({ ...credentials(secret), token: 'unknown' });
        return [
          await statusOf(secret),
          (await postToken(app.url, { grant_type: 'client_credentials', ...credentials(secret) })).status,
          (await introspect(app, { token: body.access_token }, basic(robot.clientId, secret))).body.active,
          (await introspect(app, { token: body.access_token, ...credentials(secret) })).body.active,
          (await fetch(`${app.url}/v4/revoke`, { method: 'POST', body: revocation })).status,
        ];
      };
      const accepted = [200, 200, true, true, 200];
      const refused = [401, 401, false, false, 401];
      expect([await answersTo(old), await answersTo(clientSecret)]).toEqual([accepted, accepted]);
      clock.advance(299);
      expect([await statusOf(old), await statusOf(clientSecret)]).toEqual([200, 200]);
      clock.advance(1);
      expect([await answersTo(old), await answersTo(clientSecret)]).toEqual([refused, accepted]);
    });

    it('end at the next rotation or with another secret of a provisioning file, whatever time they had left', async () => {
      const first = (await applied(robot))?.clientSecret ?? '';
      const second = (await rotated('--keep-old', '7d')).clientSecret;
      const third = (await rotated('--keep-old', '30m')).clientSecret;
      expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 200, 200]);
      const fourth = await rotated();
      expect(fourth).not.toHaveProperty('oldSecretEndsAt');
      expect([await statusOf(second), await statusOf(third), await statusOf(fourth.clientSecret)]).toEqual([401, 401, 200]);
      const fifth = (await rotated('--keep-old', '1h')).clientSecret;
      await applied({ ...robot, name: 'Renamed' });
      expect([await statusOf(fourth.clientSecret), await statusOf(fifth)]).toEqual([200, 200]);
      await applied({ ...robot, clientSecret: LONG });
      expect([await statusOf(fourth.clientSecret), await statusOf(fifth), await statusOf(LONG)]).toEqual([401, 401, 200]);
    });

    it('are stored as hashes', async () => {
      const old = (await applied(robot))?.clientSecret ?? '';
      const { clientSecret } = await rotated('--keep-old', '1d');
      const { rows } = await app.app.get(Database).query('SELECT clients::text AS text FROM clients');
      expect(JSON.stringify(rows)).not.toContain(old);
      expect(JSON.stringify(rows)).not.toContain(clientSecret);
    });

    it.each(['0h', '0s', '24', '-1h', '1.5h', '1w', '91d', 'soon', ''])('need a duration that can be read: %j', async (duration) => {
      await applied(robot);
      await expect(rotated(`--keep-old=${duration}`)).rejects.toThrow(
        '--keep-old takes seconds, minutes, hours or days up to 90d, for example 30m, 24h or 7d',
      );
    });
  });
});
