import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { aDropsite, senderOf } from '../support/delivery/dropsites.js';
import { tokenOf } from '../support/media/uploads.js';
import { anInstruction, aSubscriptionInput, problemsOf, subscriptionsOf } from '../support/subscriptions/subscriptions.js';

let app: TestApp;
let owner: { id: number; customerId: number };
let colleague: { id: number };
let token: string;
let mine: ReturnType<typeof subscriptionsOf>;
let theirs: ReturnType<typeof subscriptionsOf>;
let strangers: ReturnType<typeof subscriptionsOf>;

beforeAll(async () => {
  app = await startTestApp();
  strangers = subscriptionsOf(app, await tokenOf(app, await aUser(app)));
  owner = await aUser(app, { customer: 'Subscribers' });
  colleague = await aUser(app, { customer: 'Subscribers' });
  token = await tokenOf(app, owner);
  mine = subscriptionsOf(app, token);
  theirs = subscriptionsOf(app, await tokenOf(app, colleague));
});
afterAll(async () => {
  await app?.close();
});

describe('a subscription', () => {
  it('is made with all that can be said of it, found, listed and deleted', async () => {
    const fields = {
      name: 'event:uploadComplete',
      flag: 2,
      conditions: { methods: ['update'], payload: { mediaContainerIds: [41] } },
      instructions: [
        { type: 'api', method: 'POST', path: 'v5/downloadlink', payload: { a: 1 }, expected: [{ path: 'id', value: 1 }], as: 'link' },
        { type: 'email', template: 'uploadComplete', parameters: { a: 1 }, to: [{ recipient: ':user.email', language: 'de-AT' }] },
        { type: 'email', subject: 'Hello', text: 'Two\nlines', to: [{ recipient: 'a@example.org' }] },
        { type: 'https', url: 'https://hooks.example.org:8443/:uploadId?a=:b', method: 'PUT', headers: { 'x-a': 'b' }, payload: [null, 1] },
      ],
      notes: 'tells the shop',
    };
    const { status, body } = await mine.create(fields);
    expect(status).toBe(201);
    const { signingSecret, ...shown } = body;
    expect(signingSecret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(shown).toEqual({
      ...fields,
      id: expect.any(Number),
      customerId: owner.customerId,
      instructions: [...fields.instructions.slice(0, 3), { ...fields.instructions[3], headers: { 'x-a': '********' } }],
      lastExecutedStatus: null,
      processedAt: null,
      creatorId: owner.id,
      lastEditorId: owner.id,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
      logs: [],
    });
    expect((await theirs.get(body.id)).body).toEqual(shown);
    expect((await mine.list(`?id=${body.id}`)).body).toEqual([shown]);
    expect((await mine.delete(body.id)).body).toEqual({ id: body.id });
    expect((await mine.get(body.id)).status).toBe(404);
    expect((await mine.delete(body.id)).status).toBe(404);
    expect((await mine.list(`?id=${body.id}`)).body).toEqual([]);
  });

  it('takes methods in lower case, and with GET a payload that is empty', async () => {
    const { status, body } = await mine.create({
      instructions: [
        { type: 'api', method: 'get', path: 'v5/customer', payload: {}, as: 'mine' },
        { type: 'api', method: 'post', path: 'v5/mediacontainer/7/releaseRequest', payload: {} },
        { type: 'https', method: 'get', url: 'https://hooks.example.org/a', payload: {} },
        { type: 'https', method: 'patch', url: 'https://hooks.example.org/a', payload: {} },
      ],
    });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty('ignored');
    expect(body.instructions).toEqual([
      { type: 'api', method: 'GET', path: 'v5/customer', as: 'mine' },
      { type: 'api', method: 'POST', path: 'v5/mediacontainer/7/releaseRequest', payload: {} },
      { type: 'https', method: 'GET', url: 'https://hooks.example.org/a' },
      { type: 'https', method: 'PATCH', url: 'https://hooks.example.org/a', payload: {} },
    ]);
  });

  it('needs only a name, a flag and an instruction; null counts as absent', async () => {
    const bare = await mine.made();
    expect(bare).toMatchObject({ conditions: {}, notes: '' });
    const nulls = {
      conditions: { methods: null, payload: null },
      notes: null,
      instructions: [anInstruction({ headers: null, payload: null, method: null })],
    };
    expect(await mine.made(nulls)).toMatchObject({ conditions: {}, notes: '', instructions: [anInstruction()] });
    expect(await mine.made({ conditions: null })).toMatchObject({ conditions: {} });
    expect(await mine.made({ conditions: { payload: {} } })).toMatchObject({ conditions: { payload: {} } });
  });

  it.each([
    ['http://hooks.example.org/', 'hooks.example.org must be called by https; the operator can allow it with EGRESS_ALLOWLIST'],
    ['https://10.0.0.8/', '10.0.0.8 is a private address; the operator can allow it with EGRESS_ALLOWLIST'],
    ['ftp://hooks.example.org/', 'the URL must start with https://'],
  ])('is refused for %s, with the reason', async (url, message) => {
    const { status, body } = await mine.create({ instructions: [anInstruction({ url })] });
    expect([status, body.errors]).toEqual([400, [{ path: 'instructions.0.url', code: 'is_reachable', message }]]);
  });

  it('belongs to the customer, and other customers do not find it', async () => {
    const { id } = await mine.made();
    expect([(await strangers.get(id)).status, (await strangers.replace(id)).status, (await strangers.delete(id)).status]).toEqual([
      404, 404, 404,
    ]);
    expect((await strangers.replay(id, 1)).status).toBe(404);
    expect((await strangers.list(`?id=${id}`)).body).toEqual([]);
    expect((await strangers.list()).body).toEqual([]);
    expect((await mine.get(id)).status).toBe(200);
  });

  it('requires the scope api, and is visible with api:read', async () => {
    const { id } = await mine.made();
    const reader = subscriptionsOf(app, await tokenOf(app, owner, 'api:read'));
    expect((await reader.get(id)).status).toBe(200);
    for (const answer of [
      await reader.create(),
      await reader.replace(id),
      await reader.delete(id),
      await reader.dryRun({}),
      await reader.replay(id, 1),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope']);
    }
    const { dropsite } = await aDropsite(app);
    const sender = subscriptionsOf(app, (await senderOf(app, dropsite.link).session()).access_token);
    const answers = [await sender.list(), await sender.create(), await sender.dryRun({})];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await subscriptionsOf(app, null).list()).status).toBe(401);
  });

  it('may name its id in the body, and no other than the path', async () => {
    const { id } = await mine.made();
    expect((await mine.send('', 'PUT', { id, ...aSubscriptionInput({ notes: 'by body' }) })).body).toMatchObject({ id, notes: 'by body' });
    expect((await mine.send(`/${id}`, 'PUT', { id: id + 1, ...aSubscriptionInput() })).body.code).toBe('id_mismatch');
    expect((await mine.send(`/${id}`, 'PUT', { id, ...aSubscriptionInput() })).status).toBe(200);
    expect((await mine.send(`/${id}`, 'DELETE', { id: id + 1 })).body.code).toBe('id_mismatch');
    expect((await mine.send('', 'DELETE', { id })).body).toEqual({ id });
    expect((await mine.send('/0', 'GET')).status).toBe(400);
    expect((await mine.send('/2147483648', 'GET')).status).toBe(400);
    expect((await mine.send('/createDownloadLink', 'GET')).status).toBe(400);
  });

  it('is refused with the problems of path and body together', async () => {
    const { id } = await mine.made();
    const problemsOf = async (path: string, body: object) => {
      const answer = await mine.send(path, 'PUT', body);
      expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed']);
      return answer.body.errors?.map(({ path: at, code }) => `${at} ${code}`);
    };
    const wrong = { name: 'event:unknown', flag: 7, notes: 1 };
    const problems = ['name is_in', 'flag is_in', 'instructions required', 'notes type'];
    expect(await problemsOf('/abc', wrong)).toEqual(['id type', ...problems]);
    expect(await problemsOf('', wrong)).toEqual(['id required', ...problems]);
    expect(await problemsOf(`/${id}`, { id: id + 1, ...wrong })).toEqual([...problems, 'id id_mismatch']);
    expect(await problemsOf('/0', aSubscriptionInput({ instructions: [anInstruction({ url: 'https://10.0.0.8/' })] }))).toEqual([
      'id min',
      'instructions.0.url is_reachable',
    ]);
  });
});

describe('a replaced subscription', () => {
  it('has the sent content, and acts on behalf of its last editor', async () => {
    const before = await mine.made({ notes: 'old', conditions: { methods: ['create'] }, flag: 2 });
    const { status, body } = await theirs.replace(before.id, { name: 'event:uploadComplete', conditions: { payload: { a: 1 } } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: before.id,
      name: 'event:uploadComplete',
      flag: 0,
      notes: '',
      creatorId: owner.id,
      lastEditorId: colleague.id,
    });
    expect(body.conditions).toEqual({ payload: { a: 1 } });
    expect(body.signingSecret).toBeUndefined();
    expect(new Date(String(body.updatedAt)).getTime()).toBeGreaterThan(new Date(String(before.updatedAt)).getTime());
    expect((await mine.get(before.id)).body).toEqual(body);
  });

  it('may act again after it has acted', async () => {
    const { id } = await mine.made({ flag: 2 });
    await app.app.get(Database).query('UPDATE subscriptions SET processed_at = now(), last_executed_status = 204 WHERE id = $1', [id]);
    expect((await mine.get(id)).body).toMatchObject({ processedAt: expect.stringMatching(/Z$/), lastExecutedStatus: 204 });
    expect((await mine.replace(id, { flag: 2 })).body).toMatchObject({ processedAt: null, lastExecutedStatus: 204 });
  });

  it('keeps masked secrets as long as their destination is the same', async () => {
    const header = { headers: { authorization: 'Bearer of-hooks' } };
    const { id, instructions } = await mine.made({ instructions: [anInstruction({ ...header, payload: { password: 'of-hooks', a: 1 } })] });
    expect(instructions).toEqual([anInstruction({ headers: { authorization: '********' }, payload: { password: '********', a: 1 } })]);
    const [shown] = instructions;
    const kept = await theirs.replace(id, { instructions: [shown], notes: 'kept' });
    expect(kept.body).toMatchObject({ instructions: [shown], notes: 'kept' });
    for (const url of ['https://evil.example.org/', 'https://hooks.example.org/of-somebody-else']) {
      expect(problemsOf(await theirs.replace(id, { instructions: [{ ...shown, url }] }))).toEqual([
        400,
        'validation_failed',
        ['instructions.0.headers.authorization secret_needed', 'instructions.0.payload.password secret_needed'],
      ]);
    }
    expect((await mine.get(id)).body.instructions).toEqual(kept.body.instructions);
  });

  it('has the same rules as a new one', async () => {
    const { id } = await mine.made();
    expect(problemsOf(await mine.replace(id, { flag: 1 }))).toEqual([400, 'validation_failed', ['flag is_in']]);
  });
});

describe('the mask', () => {
  it('is not a secret of a new subscription', async () => {
    const answer = await mine.create({ instructions: [anInstruction({ headers: { 'x-key': '********' } })] });
    expect(problemsOf(answer)).toEqual([400, 'validation_failed', ['instructions.0.headers.x-key secret_needed']]);
  });
});

describe('any input', () => {
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>,
    fc.constantFrom('v5/a', 'api', 'email', 'https', ':a', 1e21),
  );
  const members = <Of extends object>(object: Of) =>
    fc.record(
      Object.fromEntries(
        Object.entries(object).map(([name, value]) => [name, fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, anything)]),
      ),
      { requiredKeys: [] },
    );
  const instruction = fc.oneof(
    members({ type: 'api', method: 'POST', path: 'v5/a', payload: {}, expected: [{ path: 'a', value: 1 }], as: 'b' }),
    members({ type: 'email', template: 's3success', parameters: {}, to: [{ recipient: 'a@b.example' }], subject: 'a', text: 'b' }),
    members({ type: 'https', url: 'https://a.example/?token=t', headers: { 'x-a': 'b' }, payload: { secret: 1 }, method: 'PUT' }),
  );
  const subscription = fc
    .tuple(members({ name: 'event:s3success', flag: 0, conditions: { payload: {} }, notes: '' }), fc.oneof(fc.array(instruction), anything))
    .map(([fields, instructions]) => ({ ...fields, instructions }));

  it('is accepted or refused; the response can be sent back, and changes nothing', async () => {
    const statuses = new Set<number>();
    const before = (await mine.list()).body.length;
    const run = async (body: object) => {
      const made = await mine.send('', 'POST', body);
      statuses.add(made.status);
      expect([201, 400]).toContain(made.status);
      if (made.status === 400) return;
      const { signingSecret: _, ...shown } = made.body;
      const { status, body: again } = await mine.send(`/${made.body.id}`, 'PUT', shown);
      expect(status).toBe(200);
      const { ignored: __, ...kept } = shown; // what was ignored is not shown, so that nothing is left to ignore
      expect(again).toEqual({ ...kept, updatedAt: expect.any(String) });
    };
    const withUnknownMember = { conditions: { '': [] }, instructions: [{ type: 'https', url: 'https://a.example/' }] };
    await fc.assert(fc.asyncProperty(subscription, run), { numRuns: 150, examples: [[aSubscriptionInput(withUnknownMember)]] });
    const valid = fc.record({
      instructions: fc.array(fc.record({ type: fc.constant('https'), url: fc.constant('https://a.example/'), payload: anything }), {
        minLength: 1,
        maxLength: 3,
      }),
      conditions: fc.record({ payload: fc.dictionary(fc.string(), anything, { noNullPrototype: true }) }),
    });
    await fc.assert(
      fc.asyncProperty(valid, async (fields) => await run(aSubscriptionInput(fields))),
      { numRuns: 50 },
    );
    expect(statuses).toEqual(new Set([201, 400]));
    expect((await mine.list()).body.length).toBeGreaterThan(before);
  });

  it('is answered by templates, dry runs, replays and finds', async () => {
    const { id } = await mine.made();
    const run = async (value: unknown) => {
      const text = JSON.stringify(value);
      const answers = [
        await mine.template('createDownloadLink', value),
        await mine.template('dropsiteUploadStarted', { link: value }),
        await mine.dryRun(value),
        await mine.dryRun({ name: 'event:s3success', method: 'create', payload: value }),
        await mine.replay(id, value),
        await mine.list(`?${new URLSearchParams({ flags: text, 'condition[path]': text, 'condition[value]': text })}`),
      ];
      for (const { status } of answers) expect([200, 201, 400, 404]).toContain(status);
    };
    await fc.assert(fc.asyncProperty(anything, run), { numRuns: 50 });
  });
});
