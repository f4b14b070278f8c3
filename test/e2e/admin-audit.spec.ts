import { describe, expect, it } from '@jest/globals';
import { commands } from '../../src/admin/commands.js';
import { AuditService } from '../../src/shared/audit/audit.service.js';
import { aClient, aUser } from '../support/accounts/scenario.js';
import { admin } from '../support/app/admin.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';

const { app } = useTestAppWithStorage();
const SECRET = 'a secret for tests, long enough to be accepted';

/** What to run, and the records that it leaves. */
interface Change {
  readonly argv: readonly string[];
  readonly input?: string;
  readonly actions: readonly string[];
}
type Prepared = (user: Awaited<ReturnType<typeof aUser>>) => Promise<Omit<Change, 'actions'>>;

const ofUser =
  (...argv: string[]): Prepared =>
  async ({ email }) => ({ argv: [email, ...argv] });
const alone =
  (...argv: string[]): Prepared =>
  async () => ({ argv });
const apply = async (document: object) => await admin(app, ['apply', '-'], JSON.stringify(document));
const aNewClient: Prepared = async () => ({ argv: [(await aClient(app, { clientSecret: SECRET })).clientId] });

/** Every command that can be given a reason, because it changes something. */
const CHANGES: Readonly<Record<string, readonly [Prepared, ...actions: string[]]>> = {
  apply: [async () => ({ argv: ['-'], input: JSON.stringify({ customers: [{ name: 'Applied' }] }) }), 'customer.create'],
  token: [async ({ email }) => ({ argv: ['--user', email, '--client', (await aClient(app)).clientId] }), 'token.issue'],
  'users set-password': [async ({ email }) => ({ argv: [email], input: 'correct horse battery staple' }), 'user.set_password'],
  'users reset-second-factor': [ofUser(), 'user.allow_factor_reset'],
  'users disable': [ofUser(), 'user.disable'],
  'users enable': [
    async ({ email }) => {
      await admin(app, ['users', 'disable', email]);
      return { argv: [email] };
    },
    'user.enable',
  ],
  'users end-sessions': [ofUser('--yes'), 'user.end_sessions'],
  'users remove': [ofUser('--yes'), 'user.remove'],
  'users erase': [ofUser('--yes'), 'user.erase'],
  'passwords blocklist': [async () => ({ argv: ['-'], input: 'password1\n' }), 'password_blocklist.import'],
  'senders erase': [async () => ({ argv: ['stranger@mail.example', '--yes'] }), 'sender.erase'],
  'customers remove': [
    async () => {
      await apply({ customers: [{ name: 'Leaving' }] });
      return { argv: ['Leaving', '--yes'] };
    },
    'customer.close',
    'customer.remove',
  ],
  'customers rename': [
    async () => {
      await apply({ customers: [{ name: 'Renaming' }] });
      return { argv: ['Renaming', '--to', 'Renamed'] };
    },
    'customer.set_name',
  ],
  'clients remove': [async (user) => ({ argv: [...(await aNewClient(user)).argv, '--yes'] }), 'client.remove'],
  'clients rotate-secret': [aNewClient, 'client.rotate_secret'],
  'access-keys remove': [
    async ({ email }) => {
      await apply({ accessKeys: [{ accessKey: 'leaked-key', accessSecret: SECRET, user: email }] });
      return { argv: ['leaked-key', '--yes'] };
    },
    'access_key.remove',
  ],
  'keys rotate': [alone(), 'keys.rotate'],
  'keys reencrypt': [alone(), 'keys.reencrypt'],
  'uploads reap': [alone(), 'uploads.reap'],
  'uploads reconcile': [alone('--mend'), 'uploads.reconcile'],
  'media reprocess-pictures': [alone(), 'media.reprocess-pictures'],
};

describe('a command that changes something', () => {
  it('is in this list', () => {
    const changing = Object.entries(commands).filter(([, { options }]) => options.includes('reason'));
    expect(changing.map(([name]) => name).sort()).toEqual(Object.keys(CHANGES).sort());
  });

  it.each(Object.entries(CHANGES))('leaves a record of its change, with the person who ran it: %s', async (name, [prepare, ...actions]) => {
    const user = await aUser(app);
    const { argv, input } = await prepare(user);
    const records = async () => await app.app.get(AuditService).find({ withCommon: true }, { limit: 1_000 });
    const before = (await records()).length;
    await admin(app, [...name.split(' '), ...argv, '--reason', 'ticket 7'], input);
    const added = (await records()).slice(0, -before || undefined).reverse();
    const expected = { actor: expect.stringMatching(/^admin:/), onBehalfOf: null, reason: 'ticket 7' };
    expect(added).toMatchObject(actions.map((action) => ({ ...expected, action })));
    expect(added).toHaveLength(actions.length);
  });

  it('leaves none without --yes', async () => {
    const { email } = await aUser(app);
    const records = async () => (await app.app.get(AuditService).find({ withCommon: true }, { limit: 1_000 })).length;
    const before = await records();
    for (const verb of ['remove', 'erase', 'end-sessions']) await admin(app, ['users', verb, email]);
    expect(await records()).toBe(before);
  });
});
