import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Customer } from '../../src/modules/accounts/index.js';
import { Dropsite } from '../../src/modules/dropsites/index.js';
import { CountingService } from '../../src/shared/counting/index.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { aDropsite, type DropsiteBody, eventsOf, put, refusals, senderOf } from '../support/delivery/dropsites.js';
import { call, type ProcessedItem, tokenOf } from '../support/media/uploads.js';

const { app } = useTestAppWithStorage();

const at = (id: number | string = '') => `${app.url}/v5/dropsite${id === '' ? '' : `/${id}`}`;
const update = async (id: number, token: string, body: object) => await call<DropsiteBody>(at(id), { method: 'PUT', token, body });
const colleagueOf = async ({ customerId }: { customerId: number }, overrides = {}) => {
  const customer = await app.app.get(Database).repository(Customer).findOneByOrFail({ id: customerId });
  return await aUser(app, { customer: customer.name, ...overrides });
};

const FULL = {
  name: 'Photos',
  description: 'Of the party',
  expiresAt: '2099-01-31T18:00:00.000Z',
  maxItemsPerDay: 3,
  maxBytesPerDay: 10_737_418_240,
  allowedTypes: ['image', 'video'],
  allowAnonymous: false,
  publicAreaIds: [4, 7],
};

describe('a dropsite', () => {
  it('is created with the given fields, a unique link and a unique clientId', async () => {
    const { owner, token, dropsite } = await aDropsite(app, {
      ...FULL,
      password: 'open sesame',
      link: randomUUID(),
      clientId: 'mine',
      countUploads: 9,
    });
    const { customerId } = owner;
    expect(dropsite).toEqual({
      ...FULL,
      id: expect.any(Number),
      link: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: `${app.url}/d/${dropsite.link}`,
      lastUsedAt: null,
      endedAt: null,
      endedBy: null,
      clientId: expect.stringMatching(/^dropsite-[0-9a-f-]{36}$/),
      ownerId: owner.id,
      customerId,
      requiresPassword: true,
      countUploads: 0,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await call(at(dropsite.id), { token })).body).toEqual(dropsite);
    const stored = await app.app.get(Database).repository(Dropsite).findOneByOrFail({ id: dropsite.id });
    expect(stored.passwordHash).toMatch(/^\$argon2id\$/);
  });

  it('is changed where something is said; null clears, and link and clientId stay', async () => {
    const { token, dropsite } = await aDropsite(app, { ...FULL, password: 'open sesame' });
    const renamed = await update(dropsite.id, token, {
      id: dropsite.id,
      name: 'Films',
      link: randomUUID(),
      clientId: 'mine',
      countUploads: 9,
    });
    expect(renamed).toMatchObject({
      status: 200,
      body: { ...FULL, name: 'Films', requiresPassword: true, link: dropsite.link, clientId: dropsite.clientId, countUploads: 0 },
    });
    const nulls = Object.fromEntries(
      ['description', 'expiresAt', 'password', 'maxItemsPerDay', 'maxBytesPerDay', 'allowedTypes', 'allowAnonymous', 'publicAreaIds'].map(
        (name) => [name, null],
      ),
    );
    expect((await update(dropsite.id, token, nulls)).body).toMatchObject({
      name: 'Films',
      description: '',
      expiresAt: null,
      requiresPassword: false,
      maxItemsPerDay: null,
      maxBytesPerDay: null,
      allowedTypes: [],
      allowAnonymous: true,
      publicAreaIds: [],
    });
    expect((await senderOf(app, dropsite.link).create()).status).toBe(200);
  });

  it('does not lose an upload that is counted while it is changed', async () => {
    const { token, dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const headers = { clientid: dropsite.clientId };
    const upload = async () => {
      const { uploadId, processed } = (await sender.create()).body;
      for (const item of processed) await put(item).then(async () => await sender.succeed(item, { headers }));
      return uploadId;
    };
    const uploads = await Promise.all(Array.from({ length: 5 }, upload));
    await Promise.all([
      ...uploads.map(async (uploadId) => await sender.complete(uploadId, { headers })),
      ...Array.from({ length: 5 }, async (_, n) => await update(dropsite.id, token, { name: `Name ${n}` })),
    ]);
    expect((await call(at(dropsite.id), { token })).body).toMatchObject({ countUploads: 5 });
  });

  it.each<[object, string]>([
    [{ name: undefined }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ ownerId: '12' }, 'ownerId'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ expiresAt: '2030-02-30' }, 'expiresAt'],
    [{ expiresAt: '2030-01-01T00:00:00' }, 'expiresAt'],
    [{ password: '' }, 'password'],
    [{ password: 7 }, 'password'],
    [{ maxItemsPerDay: 0 }, 'maxItemsPerDay'],
    [{ maxItemsPerDay: 1.5 }, 'maxItemsPerDay'],
    [{ maxBytesPerDay: 2 ** 60 }, 'maxBytesPerDay'],
    [{ allowedTypes: ['watermark'] }, 'allowedTypes.0'],
    [{ allowedTypes: 'image' }, 'allowedTypes'],
    [{ allowAnonymous: 'yes' }, 'allowAnonymous'],
    [{ publicAreaIds: ['4'] }, 'publicAreaIds.0'],
  ])('is not made with %j', async (fields, path) => {
    const token = await tokenOf(app, await aUser(app));
    const answer = await call(at(), { token, body: { name: 'Photos', ...fields } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', errors: [{ path }] } });
  });

  it('can be managed by any user of the customer, and by no other user', async () => {
    const { owner, token, dropsite } = await aDropsite(app);
    const colleague = await colleagueOf(owner);
    const given = await call<DropsiteBody>(at(), { token, body: { name: 'For you', ownerId: colleague.id } });
    expect(given).toMatchObject({ status: 201, body: { ownerId: colleague.id } });
    expect((await update(dropsite.id, token, { ownerId: colleague.id })).body).toMatchObject({ ownerId: colleague.id });
    const stranger = await aUser(app);
    const sender = await senderOf(app, dropsite.link).session();
    for (const ownerId of [stranger.id, sender.user.id, 2_147_483_647]) {
      const errors = [{ path: 'ownerId', code: 'not_found', message: `there is no user ${ownerId}` }];
      const answers = [await call(at(), { token, body: { name: 'For you', ownerId } }), await update(dropsite.id, token, { ownerId })];
      expect(answers).toMatchObject(Array(2).fill({ status: 400, body: { code: 'validation_failed', errors } }));
    }
  });

  it('is managed by every user of the customer, and does not exist for others', async () => {
    const { owner, dropsite } = await aDropsite(app);
    const [colleague, stranger] = [await tokenOf(app, await colleagueOf(owner)), await tokenOf(app, await aUser(app))];
    expect((await update(dropsite.id, colleague, { name: 'Ours' })).body).toMatchObject({ name: 'Ours' });
    const answers = [
      await call(at(dropsite.id), { token: stranger }),
      await update(dropsite.id, stranger, { name: 'Mine' }),
      await call(at(dropsite.id), { method: 'DELETE', token: stranger }),
      await call(at(2_147_483_647), { token: stranger }),
    ];
    expect(refusals(answers)).toEqual(Array(4).fill([404, 'not_found']));
    expect((await call(at(), { token: stranger })).body).toEqual([]);
    expect((await call(at(dropsite.id), { method: 'DELETE', token: colleague })).status).toBe(200);
  });

  it('is refused with two different ids, without an id, without a caller and with a read-only token', async () => {
    const { owner, token, dropsite } = await aDropsite(app);
    const reader = await tokenOf(app, owner, 'api:read');
    const answers = [
      await update(dropsite.id, token, { id: dropsite.id + 1 }),
      await call(at(dropsite.id), { method: 'DELETE', token, body: { id: dropsite.id + 1 } }),
      await call(at('first'), { token }),
      await call(at(), { method: 'PUT', token, body: { name: 'Mine' } }),
      await call(at(), { method: 'DELETE', token, body: {} }),
      await call(at(), { method: 'DELETE', token }),
      await call(at(dropsite.id)),
      await call(at(), { body: { name: 'Photos' } }),
      await update(dropsite.id, reader, { name: 'Mine' }),
    ];
    expect(refusals(answers)).toEqual([
      ...Array(2).fill([400, 'id_mismatch']),
      ...Array(4).fill([400, 'validation_failed']),
      [401, 'unauthenticated'],
      [401, 'unauthenticated'],
      [403, 'insufficient_scope'],
    ]);
    expect((await call(at(dropsite.id), { token: reader })).status).toBe(200);
  });

  it('is changed and deleted by an id in the body as by one in the path', async () => {
    const { token, dropsite } = await aDropsite(app);
    const stranger = await tokenOf(app, await aUser(app));
    const send = async (method: string, by: string, body: object = {}) =>
      await call(at(), { method, token: by, body: { id: dropsite.id, ...body } });
    expect(refusals([await send('PUT', stranger, { name: 'Mine' }), await send('DELETE', stranger)])).toEqual(
      Array(2).fill([404, 'not_found']),
    );
    const { createdAt: _created, updatedAt: _updated, ...rest } = dropsite;
    expect(await send('PUT', token, { name: 'Films' })).toMatchObject({ status: 200, body: { ...rest, name: 'Films' } });
    expect((await call(at(dropsite.id), { token })).body).toMatchObject({ name: 'Films' });
    expect(await send('DELETE', token)).toMatchObject({ status: 200, body: { id: dropsite.id } });
    expect(refusals([await send('PUT', token, { name: 'Gone' }), await send('DELETE', token)])).toEqual(Array(2).fill([404, 'not_found']));
  });

  it('can be deleted, and its uploads remain', async () => {
    const { token, dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const session = await sender.session();
    const { code } = (await sender.deliver()).body;
    const credentials = { token: session.access_token };
    const { body: upload } = await sender.create({}, credentials);
    const [item] = upload.processed as [ProcessedItem];
    await put(item);
    expect(await call(at(dropsite.id), { method: 'DELETE', token })).toMatchObject({ status: 200, body: { id: dropsite.id } });
    const answers = [
      await sender.deliver(),
      await sender.begin({ code }),
      await sender.create({}, credentials),
      await call(at(dropsite.id), { token }),
      await call(at(dropsite.id), { method: 'DELETE', token }),
    ];
    expect(refusals(answers)).toEqual([...Array(3).fill([410, 'dropsite_expired']), ...Array(2).fill([404, 'not_found'])]);
    expect((await sender.succeed(item, credentials)).status).toBe(200);
    expect((await sender.complete(upload.uploadId, credentials)).status).toBe(200);
    expect((await sender.complete(upload.uploadId, credentials)).status).toBe(401);
    expect((await call(`${app.url}/v5/mediacontainer/${item.id}`, { token })).body).toMatchObject({ origin: dropsite.id });
    expect((await eventsOf(app, dropsite)).map(({ name }) => name)).toEqual(['event:uploadComplete']);
  });
});

describe('the list of dropsites', () => {
  it('is the one of an id, or empty for one that is unknown or foreign', async () => {
    const { token, dropsite } = await aDropsite(app);
    await call(at(), { token, body: { name: 'Second' } });
    const foreign = await aDropsite(app);
    const find = async (query: string) => await call(`${at()}?${query}`, { token });
    expect(await find(`id=${dropsite.id}`)).toMatchObject({ status: 200, body: [dropsite] });
    expect((await find(`id=${dropsite.id}&limit=1`)).headers.get('link')).toBeNull(); // there is nothing behind it
    expect((await find(`id=${dropsite.id}&limit=1&cursor=${dropsite.id}`)).body).toEqual([]);
    for (const id of [foreign.dropsite.id, 2_147_483_647, 2_147_483_648, 999_999_999_999_999, 0, -999_999_999_999_999]) {
      expect(await find(`id=${id}`)).toMatchObject({ status: 200, body: [] });
    }
    expect(await find('cursor=999999999999999')).toMatchObject({ status: 200, body: [] });
    expect(refusals([await find('id=first'), await find('id=')])).toEqual(Array(2).fill([400, 'validation_failed']));
  });

  it('has those that are open unless another state is asked for', async () => {
    const { token, dropsite } = await aDropsite(app, { expiresAt: '2099-01-31T18:00:00Z' });
    const { body: ended } = await call<DropsiteBody>(at(), { token, body: { name: 'Ended', expiresAt: '2020-01-31T18:00:00Z' } });
    const listed = async (query: string) => (await call<DropsiteBody[]>(`${at()}${query}`, { token })).body.map(({ id }) => id);
    expect(await listed('')).toEqual([dropsite.id]);
    expect(await listed('?state=ended')).toEqual([ended.id]);
    expect(await listed('?state=all')).toEqual([dropsite.id, ended.id]);
    expect(await listed(`?id=${ended.id}`)).toEqual([ended.id]);
  });

  it('knows the hour in which a dropsite was last used', async () => {
    const { token, dropsite } = await aDropsite(app);
    expect((await fetch(`${app.url}/d/${dropsite.link}`)).status).toBe(200);
    await app.app.get(CountingService).writeAll();
    const { body } = await call<DropsiteBody>(at(dropsite.id), { token });
    expect(body).toMatchObject({ lastUsedAt: expect.stringMatching(/:00:00\.000Z$/), updatedAt: dropsite.updatedAt });
  });

  it('comes in pages of a hundred', async () => {
    const { owner, token, dropsite } = await aDropsite(app);
    await app.app.get(Database).query(
      `INSERT INTO dropsites (link, client_id, customer_id, owner_id, name)
       SELECT gen_random_uuid(), 'dropsite-' || gen_random_uuid(), $1, $2, 'Site ' || n FROM generate_series(1, 104) AS n`,
      [owner.customerId, owner.id],
    );
    const first = await call<DropsiteBody[]>(at(), { token });
    expect([first.body.length, first.body[0]?.id]).toEqual([100, dropsite.id]);
    const next = /<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1];
    const second = await call<DropsiteBody[]>(`${app.url}${next}`, { token });
    expect([second.body.length, second.headers.get('link')]).toEqual([5, null]);
    expect((await call<DropsiteBody[]>(`${at()}?limit=2&cursor=${dropsite.id}`, { token })).body.map(({ name }) => name)).toEqual([
      'Site 1',
      'Site 2',
    ]);
  });
});
