import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { applyDocument, auditTrail } from '../support/app/admin.js';
import { useTestApp } from '../support/app/test-app.js';
import { senderOf } from '../support/delivery/dropsites.js';
import { call, tokenOf } from '../support/media/uploads.js';

describe('the dropsites of a provisioning file', () => {
  const app = useTestApp();

  const rows = async () => (await app.app.get(Database).query('SELECT * FROM dropsites ORDER BY id')).rows;
  const trailOf = async ({ link }: { link: string }) => (await auditTrail(app)).filter((line) => line.endsWith(`dropsite:${link}`));
  const only = <T>([one]: readonly T[]): T => one as T;

  it('are created with their owner, and the second time nothing changes', async () => {
    const person = { firstname: 'Ada', lastname: 'Lovelace', customer: 'Acme' };
    const entry = { owner: 'Ada@example.org', name: 'Photos', password: 'open sesame', expiresAt: '2099-01-01', allowedTypes: ['image'] };
    const linked = { link: randomUUID().toUpperCase(), owner: 'ada@example.org', name: 'Films', maxItemsPerDay: 5, maxBytesPerDay: 1e12 };
    const file = { customers: [{ name: 'Acme' }], users: [{ ...person, email: 'ada@example.org' }], dropsites: [entry, linked] };
    const { dropsites, users } = await applyDocument(app, file);
    const clientId = expect.stringMatching(/^dropsite-/);
    expect(dropsites).toEqual([
      { id: expect.any(Number), link: expect.any(String), clientId, name: 'Photos' },
      { id: expect.any(Number), link: linked.link.toLowerCase(), clientId, name: 'Films' },
    ]);
    const stored = await rows();
    expect(stored).toMatchObject([
      {
        owner_id: users[0]?.id,
        allowed_types: ['image'],
        expires_at: new Date('2099-01-01T23:59:59.999Z'),
        password_hash: expect.stringMatching(/^\$argon2id/),
      },
      { max_items_per_day: 5, max_bytes_per_day: '1000000000000', password_hash: null },
    ]);
    expect((await applyDocument(app, file)).dropsites).toEqual(dropsites);
    expect(await rows()).toEqual(stored);
    expect(await trailOf(only(dropsites))).toEqual([`dropsite.create dropsite:${only(dropsites).link}`]);
    const answer = await senderOf(app, only(dropsites).link).deliver();
    expect(answer.body).toMatchObject({ clientId: only(dropsites).clientId, requiresPassword: true });
  });

  it('are changed by link or by owner and name, with a record of each change', async () => {
    const [owner, other] = [await aUser(app, { customer: 'Acme' }), await aUser(app, { customer: 'Acme' })];
    const made = only(
      (await applyDocument(app, { dropsites: [{ owner: owner.email, name: 'Inbox', description: 'Old', password: 'one' }] })).dropsites,
    );
    const changed = { owner: owner.email, name: 'Inbox', description: 'New', password: 'two', publicAreaIds: [7] };
    expect(only((await applyDocument(app, { dropsites: [changed] })).dropsites)).toEqual(made);
    const renamed = { link: made.link, owner: other.email, name: 'Outbox', password: null, expiresAt: null };
    expect(only((await applyDocument(app, { dropsites: [renamed] })).dropsites)).toEqual({ ...made, name: 'Outbox' });
    expect((await rows()).find(({ link }) => link === made.link)).toMatchObject({
      owner_id: other.id,
      description: 'New',
      password_hash: null,
      public_area_ids: [7],
    });
    const words = ['create', 'set_description', 'set_password', 'set_public_area_ids', 'set_owner', 'set_name', 'set_password'];
    expect((await trailOf(made)).sort()).toEqual(words.map((word) => `dropsite.${word} dropsite:${made.link}`).sort());
  });

  it('takes back the link of a dropsite that was deleted', async () => {
    const owner = await aUser(app);
    const [made] = (await applyDocument(app, { dropsites: [{ owner: owner.email, name: 'Inbox', password: 'one' }] })).dropsites;
    const token = await tokenOf(app, owner);
    expect((await call(`${app.url}/v5/dropsite/${made?.id}`, { token, method: 'DELETE' })).status).toBe(200);
    expect((await senderOf(app, String(made?.link)).deliver()).status).toBe(410);
    const ended = await call<object[]>(`${app.url}/v5/dropsite?state=ended`, { token });
    expect(ended.body).toMatchObject([{ id: made?.id, endedAt: expect.any(String), endedBy: owner.id }]);
    const [restored] = (await applyDocument(app, { dropsites: [{ owner: owner.email, link: made?.link, name: 'Inbox' }] })).dropsites;
    expect(restored).toEqual(made);
    expect((await senderOf(app, String(made?.link)).deliver()).body).toMatchObject({ requiresPassword: true });
    const active = await call<object[]>(`${app.url}/v5/dropsite`, { token });
    expect(active.body).toMatchObject([{ id: made?.id, expiresAt: null, endedAt: null, endedBy: null }]);
  });

  it('are refused whole, with every problem', async () => {
    const [owner, foreign] = [await aUser(app), await aUser(app)];
    const made = only((await applyDocument(app, { dropsites: [{ owner: owner.email, name: 'Inbox' }] })).dropsites);
    const before = await rows();
    const twice = { owner: owner.email, name: 'Twice' };
    const refusal = applyDocument(app, {
      dropsites: [
        { owner: 'nobody@example.org', name: 'Lost' },
        { link: made.link, owner: foreign.email, name: 'Inbox' },
        {
          link: 'mine',
          owner: owner.email,
          name: 'Inbox',
          typo: 1,
          allowedTypes: ['image', 'smell'],
          maxItemsPerDay: 0,
          allowAnonymous: 'yes',
        },
        twice,
        { ...twice, owner: owner.email.toUpperCase() },
        { link: made.link.toUpperCase(), owner: owner.email, name: 'Inbox' },
      ],
    });
    const message = await refusal.then(
      () => '',
      (error: Error) => error.message,
    );
    for (const problem of [
      'dropsites.0.owner: "nobody@example.org" does not exist; declare it under users',
      `dropsites.1.owner: is not a user of the customer to whom ${made.link} belongs; dropsites do not move`,
      'dropsites.2.typo: is not a known field',
      'dropsites.2.link: must be a UUID',
      'dropsites.2.allowedTypes.1: must be one of the following values: video, audio, image, document',
      'dropsites.2.maxItemsPerDay: must not be less than 1',
      'dropsites.2.allowAnonymous: must be true or false',
      'dropsites.4.name: is the same as dropsites.3.name',
      'dropsites.5.link: is the same as dropsites.1.link',
    ]) {
      expect(message).toContain(problem);
    }
    expect(await rows()).toEqual(before);
  });
});
