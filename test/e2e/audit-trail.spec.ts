import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { useTestApp } from '../support/app/test-app.js';
import { aFormat } from '../support/converter/formats.js';
import { aContainer, aPublisher, type Publisher } from '../support/delivery/player-configurations.js';

const app = useTestApp();

interface AuditBody {
  readonly action: string;
  readonly actor: string;
  readonly subject: string;
  readonly count: number | null;
  readonly ids: number[] | null;
}

/** An administrator who works, and reads the audit trail of the customer, the oldest record first. */
async function anAdministrator() {
  const publisher = await aPublisher(app);
  await app.app.get(Database).query('UPDATE users SET admin_level = 9 WHERE id = $1', [publisher.user.id]);
  const read = async () => (await publisher.send<AuditBody[]>('audit?limit=1000', 'GET')).body.toReversed();
  const trail = async () => (await read()).map(({ action, actor, subject }) => `${action} ${subject} ${actor}`);
  return { publisher, actor: `user:${publisher.user.id}`, read, trail };
}

/** A resource that is created, changed and deleted: its name in the trail, its path, and the inputs. */
interface Resource {
  readonly noun: string;
  readonly path: string;
  readonly create: (publisher: Publisher) => Promise<object> | object;
  readonly update?: object;
  /** The member of the response that identifies it in the trail. */
  readonly key?: string;
}

const aMedium = async ({ user }: Publisher) => (await aContainer(app, user)).id;

const RESOURCES: readonly Resource[] = [
  { noun: 'dropsite', path: 'dropsite', create: () => ({ name: 'Photos' }), update: { name: 'Pictures' }, key: 'link' },
  {
    noun: 'player_configuration',
    path: 'playerconfiguration',
    create: () => ({ name: 'Website', type: 'video', templateId: 1, formats: [] }),
    update: { name: 'Intranet', formats: [] },
  },
  {
    noun: 'subscription',
    path: 'subscriptions',
    create: () => ({ name: 'event:s3success', flag: 0, instructions: [{ type: 'api', method: 'GET', path: 'v5/format', payload: {} }] }),
    update: { name: 'event:uploadComplete', flag: 0, instructions: [{ type: 'api', method: 'GET', path: 'v5/format', payload: {} }] },
  },
];

describe('the audit trail', () => {
  it.each(RESOURCES)('has every create, change and delete of $path, with its actor', async ({ noun, path, create, update, key = 'id' }) => {
    const { publisher, actor, trail } = await anAdministrator();
    const made = await publisher.send<Record<string, unknown> & { id: number }>(path, 'POST', await create(publisher));
    expect(made.status).toBe(201);
    const { id } = made.body;
    if (update) expect((await publisher.send(`${path}/${id}`, 'PUT', update)).status).toBe(200);
    expect((await publisher.send(`${path}/${id}`, 'DELETE')).status).toBe(200);
    const subject = `${noun}:${made.body[key]}`;
    expect(await trail()).toEqual(['create', 'update', 'delete'].map((verb) => `${noun}.${verb} ${subject} ${actor}`));
  });

  it('has those of embed links, also of those that a configuration takes with it', async () => {
    const { publisher, actor, read } = await anAdministrator();
    const { id: configuration } = await publisher.made();
    const medium = await aMedium(publisher);
    const { id: first } = (await publisher.embed(medium, configuration)).body;
    await publisher.embed(medium, configuration);
    await publisher.unlink(first);
    await publisher.unlink(first);
    const others = [(await publisher.embed(await aMedium(publisher), configuration)).body.id];
    others.push((await publisher.embed(await aMedium(publisher), configuration)).body.id);
    await publisher.destroy(configuration, { move: -1 });
    const records = (await read()).map(({ action, subject, count, ids }) => [action, subject, count, ids]);
    expect(records).toEqual([
      ['player_configuration.create', `player_configuration:${configuration}`, null, null],
      ['embed_link.create', `embed_link:${first}`, null, null],
      ['embed_link.delete', `embed_link:${first}`, null, null],
      ...others.map((id) => ['embed_link.create', `embed_link:${id}`, null, null]),
      ['embed_link.delete', `player_configuration:${configuration}`, 2, others],
      ['player_configuration.delete', `player_configuration:${configuration}`, null, null],
    ]);
    expect(new Set((await read()).map((record) => record.actor))).toEqual(new Set([actor]));
    const ended = await publisher.send<{ id: number; endedBy: number }[]>('embedlink?state=ended', 'GET');
    expect(ended.body.map(({ id, endedBy }) => [id, endedBy])).toEqual(
      [...others.toReversed(), first].map((id) => [id, publisher.user.id]),
    );
  });

  it('has links that move to another configuration, what that takes over, and configurations that a destroyed format leaves', async () => {
    const { publisher, actor, read } = await anAdministrator();
    const [from, to] = [await publisher.made({ autoGenerate: true }), await publisher.made()];
    const { id: link } = (await publisher.embed(await aMedium(publisher), from.id)).body;
    await publisher.destroy(from.id, { move: to.id, autoGenerate: true });
    expect((await read()).slice(-3).map(({ action, subject, ids, actor: by }) => [action, subject, ids, by])).toEqual([
      ['embed_link.update', `player_configuration:${from.id}`, [link], actor],
      ['player_configuration.update', `player_configuration:${to.id}`, null, actor],
      ['player_configuration.delete', `player_configuration:${from.id}`, null, actor],
    ]);
    const format = await aFormat(app, publisher.token);
    const { id } = await publisher.made({ formats: [{ formatId: format.id }] });
    expect((await publisher.send(`format/${format.id}`, 'DELETE')).status).toBe(200);
    expect((await read()).slice(-2).map(({ action, subject, ids }) => [action, subject, ids])).toEqual([
      ['format.delete', `format:${format.id}`, null],
      ['player_configuration.update', `format:${format.id}`, [id]],
    ]);
  });

  it('has those of formats and of the settings of the customer', async () => {
    const { publisher, actor, trail } = await anAdministrator();
    const { id } = await aFormat(app, publisher.token);
    expect((await publisher.send(`format/${id}`, 'PUT', { name: 'Small' })).status).toBe(200);
    expect((await publisher.send(`format/${id}`, 'DELETE')).status).toBe(200);
    expect((await publisher.send('customer', 'PUT', { burnTimecode: { fontsize: 10 } })).status).toBe(200);
    expect(await trail()).toEqual([
      `format.create format:${id} ${actor}`,
      `format.update format:${id} ${actor}`,
      `format.delete format:${id} ${actor}`,
      `customer.update customer:${publisher.user.customerId} ${actor}`,
    ]);
  });

  it('has every medium that goes to the trash, comes back or is removed, and one record of a bulk change', async () => {
    const { publisher, actor, read, trail } = await anAdministrator();
    const [one = 0, two = 0, three = 0] = [await aMedium(publisher), await aMedium(publisher), await aMedium(publisher)];
    await publisher.send(`mediacontainer/${one}`, 'DELETE');
    await publisher.send(`mediacontainer/${one}`, 'DELETE');
    await publisher.send(`mediacontainer/${one}`, 'PUT', { name: 'Back', flag: 0 });
    await publisher.send(`mediacontainer/${one}`, 'PUT', { name: 'Still there', flag: 0 });
    await publisher.send(`mediacontainer/${two}`, 'PUT', { flag: 1 });
    await publisher.send('mediacontainer/bulk', 'POST', { ids: [one, two, three, 0], flag: 1 });
    await publisher.send('mediacontainer/bulk', 'POST', { ids: [one, two], set: { tags: ['sea'] } });
    await publisher.send('mediacontainer/bulk', 'POST', { ids: [two, three], flag: 0 });
    await publisher.send(`mediacontainer/${one}?forceDelete=true`, 'DELETE');
    expect(await trail()).toEqual(
      [
        `media_container.trash media_container:${one}`,
        `media_container.restore media_container:${one}`,
        `media_container.trash media_container:${two}`,
        'media_container.trash media_container:bulk',
        'media_container.restore media_container:bulk',
        `media_container.remove media_container:${one}`,
      ].map((line) => `${line} ${actor}`),
    );
    const bulk = (await read()).filter(({ ids }) => ids !== null).map(({ count, ids }) => [count, ids]);
    expect(bulk).toEqual([
      [2, [one, three]],
      [2, [two, three]],
    ]);
  });
});
