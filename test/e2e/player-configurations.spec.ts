import { describe, expect, it } from '@jest/globals';
import { Customer } from '../../src/modules/accounts/index.js';
import { FormatsRepository } from '../../src/modules/formats/formats.repository.js';
import { Format } from '../../src/modules/formats/index.js';
import { Database } from '../../src/shared/database/index.js';
import { aClient, aUser } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { refusals } from '../support/delivery/dropsites.js';
import { fullPlayerConfiguration } from '../support/delivery/full-player-configuration.js';
import { aContainer, aFormat, aPublisher, originalOf, problemsOf } from '../support/delivery/player-configurations.js';
import { call, tokenOf } from '../support/media/uploads.js';

const app = useTestApp();

const customerOf = async ({ customerId }: { customerId: number }) =>
  await app.app.get(Database).repository(Customer).findOneByOrFail({ id: customerId });
const colleagueOf = async (user: { customerId: number }) => await aUser(app, { customer: (await customerOf(user)).name });

describe('a player configuration', () => {
  it('is made with every field, and answered as it was sent', async () => {
    const publisher = await aPublisher(app);
    const { user } = publisher;
    const { clientId } = await aClient(app);
    const fields = fullPlayerConfiguration(clientId, (await aContainer(app, user)).id);
    const [web, original] = [await aFormat(app, user), await originalOf(app, user, 'video')];
    const formats = [{ formatId: original, downloadable: true }, { formatId: web.id }];
    const created = await publisher.create({ ...fields, formats, id: 9, creatorId: 9, customerId: 9, freshness: 9, unknown: { a: 1 } });
    const expected = {
      ...fields,
      id: expect.any(Number),
      isDefault: false,
      creatorId: user.id,
      lastEditorId: user.id,
      customerId: user.customerId,
      freshness: expect.any(Number),
      formats: [
        { formatId: original, downloadable: true, playerConfigurationId: created.body.id },
        { formatId: web.id, downloadable: false, playerConfigurationId: created.body.id },
      ],
    };
    expect(created).toMatchObject({ status: 201 });
    const ignored = ['unknown', 'configuration.mediaTypes'].map((path) => ({ path, reason: expect.any(String) }));
    expect(created.body).toEqual({ ...expected, ignored });
    expect((await publisher.get(created.body.id)).body).toEqual(expected);
    expect((await publisher.find(`?id=${created.body.id}&showFormats=true`)).body).toEqual([expected]);
    expect(Math.abs(created.body.freshness - Date.now() / 1_000)).toBeLessThan(60);
  });

  it('needs only name, type, template and an empty list of formats', async () => {
    const { user, made } = await aPublisher(app);
    expect(await made({ type: 'image', templateId: 0 })).toEqual({
      id: expect.any(Number),
      name: 'Website',
      type: 'image',
      templateId: 0,
      width: null,
      height: null,
      creatorId: user.id,
      lastEditorId: user.id,
      customerId: user.customerId,
      formats: [],
      configuration: { mediaTypes: ['image'] },
      freshness: expect.any(Number),
      autoGenerate: false,
      automaticFormats: false,
      isDefault: false,
      securitySettings: null,
      settings: null,
    });
  });

  it('can be sent back as returned, and stays unchanged', async () => {
    const publisher = await aPublisher(app);
    const fields = fullPlayerConfiguration((await aClient(app)).clientId, (await aContainer(app, publisher.user)).id);
    for (const body of [fields, {}]) {
      const before = await publisher.made({ ...body, formats: [{ formatId: (await aFormat(app, publisher.user)).id }] });
      const answered = (await publisher.get(before.id, '?showCountEmbeds=true')).body;
      const after = await publisher.update(before.id, answered);
      expect(after).toMatchObject({ status: 200 });
      expect(after.body).toEqual({ ...before, freshness: expect.any(Number) });
    }
  });

  it('is changed member by member: absent members stay, null clears', async () => {
    const publisher = await aPublisher(app);
    const { clientId } = await aClient(app);
    const fields = fullPlayerConfiguration(clientId, (await aContainer(app, publisher.user)).id);
    const { id } = await publisher.made(fields);
    expect((await publisher.update(id)).body).toMatchObject(fields);
    const changed = await publisher.update(id, {
      name: 'Intranet',
      width: null,
      autoGenerate: null,
      configuration: null,
      securitySettings: { authOnly: false, auth: null, url: {}, extAuth: { allowedAccessKeys: ['AK-3'] } },
      settings: { cname: null, subtitle: { lang: 'eng', behaviour: null } },
    });
    const { auth: _auth, ...security } = fields.securitySettings;
    const { cname: _cname, ...settings } = fields.settings;
    expect(changed.body).toMatchObject({ name: 'Intranet', width: null, height: 720, autoGenerate: false });
    expect(changed.body.configuration).toEqual({ mediaTypes: ['video'] });
    expect(changed.body.securitySettings).toEqual({ ...security, authOnly: false, url: {}, extAuth: { allowedAccessKeys: ['AK-3'] } });
    expect(changed.body.settings).toEqual({ ...settings, subtitle: { lang: 'eng' } });
    expect((await publisher.update(id, { securitySettings: null, settings: null, height: null })).body).toMatchObject({
      securitySettings: null,
      settings: null,
      height: null,
    });
    expect((await publisher.get(id)).body).toMatchObject({ securitySettings: null, settings: null, name: 'Intranet' });
  });

  it('has the last sent formats in their order, and returns the removed ones', async () => {
    const publisher = await aPublisher(app);
    const [a, b, c] = await Promise.all([aFormat(app, publisher.user), aFormat(app, publisher.user), aFormat(app, publisher.user)]);
    const { id } = await publisher.made({ formats: [{ formatId: a.id }, { formatId: b.id, downloadable: true }] });
    const swapped = await publisher.update(id, {
      formats: [{ formatId: b.id }, { formatId: c.id, downloadable: true }, { formatId: a.id }],
    });
    expect(swapped.body).not.toHaveProperty('removedFormats');
    expect(swapped.body.formats).toEqual([
      { formatId: b.id, downloadable: false, playerConfigurationId: id },
      { formatId: c.id, downloadable: true, playerConfigurationId: id },
      { formatId: a.id, downloadable: false, playerConfigurationId: id },
    ]);
    expect((await publisher.update(id, { formats: [{ formatId: c.id }] })).body.removedFormats).toEqual([b.id, a.id]);
    expect((await publisher.update(id, { formats: [] })).body).toMatchObject({ formats: [], removedFormats: [c.id] });
    expect((await publisher.get(id)).body).toMatchObject({ formats: [] });
    expect((await publisher.get(id)).body).not.toHaveProperty('removedFormats');
  });

  it('has its formats in their order, wherever their rows are', async () => {
    const publisher = await aPublisher(app);
    const ids = [await aFormat(app, publisher.user), await aFormat(app, publisher.user)].map(({ id }) => id).reverse();
    const { id } = await publisher.made({ formats: ids.map((formatId) => ({ formatId })) });
    // By their ids from now on, in the table as in its index.
    await app.app.get(Database).query('CLUSTER player_configuration_formats USING player_configuration_formats_pkey');
    const { formats } = (await publisher.get(id, '?refresh=true')).body;
    expect(formats.map(({ formatId }) => formatId)).toEqual(ids);
  });

  it('is refused with a format that goes away at the same moment', async () => {
    const publisher = await aPublisher(app);
    const format = await aFormat(app, publisher.user);
    const { id } = await publisher.made({ formats: [{ formatId: format.id }] });
    await app.app.get(Database).query('DELETE FROM formats WHERE id = $1', [format.id]); // without a notification
    for (const fields of [{ formats: [{ formatId: format.id }] }, { name: 'Other', formats: [{ formatId: format.id }] }]) {
      for (const answer of [await publisher.update(id, fields), await publisher.create(fields)]) {
        expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
        expect(problemsOf(answer)).toEqual(['formats.0.formatId not_found']);
      }
    }
    expect((await publisher.get(id, '?refresh=true')).body).toMatchObject({ name: 'Website', formats: [] });
  });

  it('is changed while its formats are destroyed, neither in the way of the other', async () => {
    const publisher = await aPublisher(app);
    const admin = await tokenOf(app, await aUser(app, { customer: (await customerOf(publisher.user)).name, adminLevel: 9 }));
    for (let round = 0; round < 10; round += 1) {
      const [kept, destroyed] = [await aFormat(app, publisher.user), await aFormat(app, publisher.user)];
      const { id } = await publisher.made({ formats: [{ formatId: kept.id }, { formatId: destroyed.id }] });
      const formats = [{ formatId: kept.id }, { formatId: destroyed.id }];
      const changes = Array.from({ length: 8 }, async () => (await publisher.update(id, { formats })).status);
      const { status } = await call(`${app.url}/v5/format/${destroyed.id}`, { method: 'DELETE', token: admin });
      expect(status).toBe(200);
      expect((await Promise.all(changes)).filter((one) => one !== 200 && one !== 400)).toEqual([]);
      expect((await publisher.get(id)).body.formats).toMatchObject([{ formatId: kept.id }]);
    }
  });

  it('is made with a format that another process has made a moment ago', async () => {
    const publisher = await aPublisher(app);
    const known = await aFormat(app, publisher.user);
    expect((await publisher.create({ formats: [{ formatId: known.id }] })).status).toBe(201);
    const { id } = await app.app
      .get(Database)
      .repository(Format)
      .save({ ...known, id: undefined }); // without a notification
    expect((await publisher.create({ formats: [{ formatId: id }] })).status).toBe(201);
  });

  it('is refused with formats that are unknown, foreign, deleted, of another type or there twice', async () => {
    const publisher = await aPublisher(app);
    const { user } = publisher;
    const stranger = await aUser(app);
    const good = await aFormat(app, user);
    const formats = [
      { formatId: good.id },
      { formatId: 2_147_483_647 },
      { formatId: (await aFormat(app, stranger)).id },
      { formatId: (await aFormat(app, user, { flag: 1 })).id },
      { formatId: (await aFormat(app, user, { settings: { mediaTypes: ['audio', 'image'] } })).id },
      { formatId: good.id },
    ];
    const problems = [
      'formats.1.formatId not_found',
      'formats.2.formatId not_found',
      'formats.3.formatId format_deleted',
      'formats.4.formatId type_mismatch',
      'formats.5.formatId repeated',
    ];
    const { id } = await publisher.made();
    for (const answer of [await publisher.create({ formats }), await publisher.update(id, { formats })]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      expect(problemsOf(answer)).toEqual(problems);
    }
    expect((await publisher.get(id)).body.formats).toEqual([]);
  });

  it('keeps a format that was flagged or changed its media types, but accepts no such format newly', async () => {
    const publisher = await aPublisher(app);
    const flagged = await aFormat(app, publisher.user);
    const changed = await aFormat(app, publisher.user);
    const { id, formats } = await publisher.made({ formats: [{ formatId: flagged.id }, { formatId: changed.id, downloadable: true }] });
    const other = await publisher.made();
    const settings = { mediaTypes: ['audio' as const] };
    const repository = app.app.get(FormatsRepository);
    await repository.save({ ...flagged, flag: 1 });
    await repository.save({ ...changed, settings });
    const read = (await publisher.get(id)).body;
    expect(await publisher.update(id, { ...read, name: 'Later' })).toMatchObject({ status: 200, body: { name: 'Later', formats } });
    expect(problemsOf(await publisher.update(other.id, { formats }))).toEqual([
      'formats.0.formatId format_deleted',
      'formats.1.formatId type_mismatch',
    ]);
    expect((await publisher.update(id, { formats: [] })).body.removedFormats).toEqual([flagged.id, changed.id]);
    expect(problemsOf(await publisher.update(id, { formats }))).toHaveLength(2);
  });

  it('must name existing clients and containers, except for previously named ones', async () => {
    const publisher = await aPublisher(app);
    const stranger = await aUser(app);
    const container = await aContainer(app, publisher.user);
    const fields = fullPlayerConfiguration('nobody', (await aContainer(app, stranger)).id);
    const created = await publisher.create(fields);
    expect(created).toMatchObject({ status: 400 });
    expect(problemsOf(created)).toEqual([
      'securitySettings.oauth.clientId not_found',
      'settings.fixedPreviewImage.mediaContainerId not_found',
      'settings.oauth.clientId not_found',
    ]);
    const known = fullPlayerConfiguration((await aClient(app)).clientId, container.id);
    const { id } = await publisher.made(known);
    await app.app.get(Database).query('DELETE FROM media_containers WHERE id = $1', [container.id]);
    expect((await publisher.update(id, known)).status).toBe(200);
    const settings = { fixedPreviewImage: { mediaContainerId: container.id + 1_000_000 } };
    expect(problemsOf(await publisher.update(id, { settings }))).toEqual(['settings.fixedPreviewImage.mediaContainerId not_found']);
    expect((await publisher.create({ ...known })).status).toBe(400);
  });

  it('never changes its type, and has a template where its type needs one', async () => {
    const publisher = await aPublisher(app);
    const { id } = await publisher.made();
    for (const type of ['audio', 'nonsense']) {
      expect(problemsOf(await publisher.update(id, { type, name: 'Other' }))).toEqual(['type type_unchangeable']);
    }
    expect(problemsOf(await publisher.update(id, { type: 'image', templateId: 0, formats: [{ formatId: 2_147_483_647 }] }))).toEqual([
      'formats.0.formatId not_found',
      'templateId is_template_of_type',
      'type type_unchangeable',
    ]);
    expect((await publisher.get(id)).body).toMatchObject({ type: 'video', templateId: 1, name: 'Website' });
    expect((await publisher.update(id, { type: 'video', templateId: 7 })).body).toMatchObject({ type: 'video', templateId: 7 });
    const document = await publisher.made({ type: 'document', templateId: 3 });
    expect((await publisher.update(document.id, { templateId: 0 })).body).toMatchObject({ templateId: 0 });
  });

  it('names its creator and its last editor', async () => {
    const publisher = await aPublisher(app);
    const colleague = await colleagueOf(publisher.user);
    const { id } = await publisher.made();
    const body = { name: 'Ours', formats: [] };
    const changed = await call(`${app.url}/v5/playerconfiguration/${id}`, { method: 'PUT', token: await tokenOf(app, colleague), body });
    expect(changed.body).toMatchObject({ name: 'Ours', creatorId: publisher.user.id, lastEditorId: colleague.id });
  });

  it('does not exist for other customers, whatever they do', async () => {
    const [publisher, stranger] = [await aPublisher(app), await aPublisher(app)];
    const { id } = await publisher.made();
    const own = await stranger.made();
    for (const unknown of [id, id + 1_000_000]) {
      const answers = [
        await stranger.get(unknown),
        await stranger.get(unknown, '?refresh=true'),
        await stranger.update(unknown, { name: 'Mine' }),
        await stranger.update(unknown, { name: 'Mine' }, { 'if-match': '*' }),
        await stranger.destroy(unknown),
        await stranger.destroy(unknown, { move: -1 }),
        await stranger.destroy(unknown, { move: own.id }),
      ];
      expect(refusals(answers)).toEqual(Array(answers.length).fill([404, 'not_found']));
      expect(answers.map(({ body }) => (body as { detail?: string }).detail)).toEqual(
        Array(answers.length).fill(`There is no player configuration ${unknown}.`),
      );
      expect((await stranger.find(`?id=${unknown}`)).body).toEqual([]);
    }
    expect((await publisher.get(id)).body).toMatchObject({ name: 'Website' });
  });

  it('is refused with two different ids, without an id, without a caller and with a read-only token', async () => {
    const publisher = await aPublisher(app);
    const { id } = await publisher.made();
    const { user, send } = publisher;
    const at = `${app.url}/v5/playerconfiguration`;
    const reader = await tokenOf(app, user, 'api:read');
    const answers = [
      await publisher.update(id, { id: id + 1 }),
      await publisher.destroy(id, { id: id + 1 }),
      await publisher.get('first'),
      await publisher.get('0'),
      await send('playerconfiguration', 'PUT', { formats: [] }),
      await send('playerconfiguration', 'DELETE', {}),
      await call(at),
      await call(at, { body: {} }),
      await call(at, { token: reader, body: { name: 'Mine', type: 'video', templateId: 1, formats: [] } }),
      await call(`${at}/${id}`, { token: reader, method: 'DELETE' }),
    ];
    expect(refusals(answers)).toEqual([
      ...Array(2).fill([400, 'id_mismatch']),
      ...Array(4).fill([400, 'validation_failed']),
      ...Array(2).fill([401, 'unauthenticated']),
      ...Array(2).fill([403, 'insufficient_scope']),
    ]);
    expect(answers.slice(2, 6).flatMap(problemsOf)).toEqual(['id type', 'id min', 'id required', 'id required']);
    expect((await call(`${at}/${id}`, { token: reader })).status).toBe(200);
  });

  it('is changed and destroyed by an id in the body as by one in the path', async () => {
    const publisher = await aPublisher(app);
    const { id } = await publisher.made();
    const changed = await publisher.send('playerconfiguration', 'PUT', { id, name: 'Films', formats: [] });
    expect(changed).toMatchObject({ status: 200, body: { id, name: 'Films' } });
    expect(changed.headers.get('etag')).toBe(`"${id}-2"`);
    expect(await publisher.send('playerconfiguration', 'DELETE', { id })).toMatchObject({ status: 200, body: { id, name: 'Films' } });
    expect((await publisher.get(id)).status).toBe(404);
  });
});
