import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { MediaContainersRepository } from '../../src/modules/media/media-containers.repository.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { anItem } from '../support/browser/embedded-media.js';
import { blueprintOf } from '../support/converter/formats.js';
import { aContainer, originalOf } from '../support/delivery/player-configurations.js';
import { type Operation, operations } from '../support/documents/operations.js';
import { type Answer, call, tokenOf } from '../support/media/uploads.js';
import { rawRequest } from '../support/raw-request.js';
import { aSubscriptionInput } from '../support/subscriptions/subscriptions.js';

const app = useTestApp();
let user: { id: number; customerId: number };
let token: string;
beforeAll(async () => {
  user = await aUser(app, { adminLevel: 10 });
  token = await tokenOf(app, user);
});

type Body = Record<string, unknown> & { readonly id: number; readonly code?: string };
type Call = { readonly ifMatch?: string; readonly body?: object };

const send = async (method: string, path: string, { ifMatch, body }: Call = {}): Promise<Answer<Body>> =>
  await call<Body>(`${app.url}/v5/${path}`, { method, token, body, headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } });
const post = async (path: string, body: object): Promise<Answer<Body>> => {
  const created = await send('POST', path, { body });
  if (created.status > 201) throw new Error(`Nothing was created: ${JSON.stringify(created.body)}`);
  return created;
};
const tagOf = ({ headers }: Pick<Answer, 'headers'>): string => headers.get('etag') ?? 'none';

const aConfiguration = async () => await post('playerconfiguration', { name: 'Website', type: 'video', templateId: 1, formats: [] });
const aTrack = async () => {
  const { id } = await aContainer(app, user);
  const track = { role: 'subtitles', language: 'en', label: 'English', fileName: 'talk', fileExtension: 'vtt', formatId: null } as const;
  const { id: mediaId } = await anItem(app, { id, customerId: user.customerId }, track);
  return `mediacontainer/${id}/media/${mediaId}`;
};

/** A resource that clients change and, unless it is the customer, destroy. */
interface Resource {
  /** Creates one and returns its path. */
  readonly create: () => Promise<string>;
  /** A change that gives it a certain name. */
  readonly change: (name: string) => object;
  /** The member that shows the name. */
  readonly member: string;
  /** Where the id may be in the body instead. */
  readonly collection?: string;
  readonly isPermanent?: boolean;
}

const created = (collection: string, create: () => Promise<Answer<Body>>) => async () => {
  const answer = await create();
  const path = `${collection}/${answer.body.id}`;
  expect([answer.status, tagOf(answer)]).toEqual([201, tagOf(await send('GET', path))]);
  return path;
};

const RESOURCES: Readonly<Record<string, Resource>> = {
  'a format': {
    create: created('format', async () => {
      const { id: blueprintId } = await blueprintOf(app, token, 'JPEG');
      return await post('format', { blueprintId, converter: 'imagemagick', name: 'Ours', type: 'image' });
    }),
    change: (name) => ({ name }),
    member: 'name',
    collection: 'format',
  },
  'a media container': {
    create: async () => `mediacontainer/${(await aContainer(app, user)).id}`,
    change: (name) => ({ name }),
    member: 'name',
    collection: 'mediacontainer',
  },
  'a track': { create: aTrack, change: (label) => ({ label }), member: 'label' },
  'a dropsite': {
    create: created('dropsite', async () => await post('dropsite', { name: 'Photos' })),
    change: (name) => ({ name }),
    member: 'name',
    collection: 'dropsite',
  },
  'a subscription': {
    create: created('subscriptions', async () => await post('subscriptions', aSubscriptionInput())),
    change: (notes) => aSubscriptionInput({ notes }),
    member: 'notes',
    collection: 'subscriptions',
  },
  'a player configuration': {
    create: created('playerconfiguration', aConfiguration),
    change: (name) => ({ name, formats: [] }),
    member: 'name',
    collection: 'playerconfiguration',
  },
  'a user': {
    create: created('user', async () => await post('user', { email: `${randomUUID()}@example.org` })),
    change: (lastname) => ({ lastname }),
    member: 'lastname',
    collection: 'user',
  },
  'a client application': {
    create: created('client', async () => await post('client', { name: 'Desk', type: 'web', redirectUris: ['https://desk.example/cb'] })),
    change: (name) => ({ name }),
    member: 'name',
    collection: 'client',
  },
  'the customer': { create: async () => 'customer', change: (name) => ({ name }), member: 'name', isPermanent: true },
};

const all = Object.entries(RESOURCES);
const REFUSED = { status: 412, body: { code: 'precondition_failed' } };
/** Members that say where a response comes from. */
const cacheMembersOf = ({ body }: Answer<Body>): object =>
  Object.fromEntries(['freshness', 'fromCache'].filter((name) => name in body).map((name) => [name, body[name]]));

/** Values of If-Match that do not name the version of this tag, a strong one. */
const mismatches = (tag: string): string[] => [`W/${tag}`, tag.slice(1, -1), `"0${tag.slice(1)}`, '"*"', `"a,*,b", W/${tag}`, ''];

describe('a change with If-Match', () => {
  it.each(all)('of %s succeeds if one of the tags is current, or with *', async (name, { create, change, member }) => {
    const path = await create();
    let tag = tagOf(await send('GET', path));
    expect(tag).toMatch(/^"[^"]+"$/);
    for (const ifMatch of [tag, (now: string) => `"other", W/"x" ,${now}`, '*', undefined]) {
      const body = change(`${name} ${tag}`);
      const changed = await send('PUT', path, { ifMatch: typeof ifMatch === 'function' ? ifMatch(tag) : ifMatch, body });
      expect([changed.status, changed.body[member]]).toEqual([200, `${name} ${tag}`]);
      expect(tagOf(changed)).not.toBe(tag);
      expect(tagOf(changed)).toBe(tagOf(await send('GET', path)));
      tag = tagOf(changed);
    }
  });

  it.each(all)('of %s with an old or a weak tag is refused and changes nothing, on all paths', async (name, resource) => {
    const { create, change, collection, isPermanent } = resource;
    const path = await create();
    const old = tagOf(await send('GET', path));
    await send('PUT', path, { body: change(`${name} now`) });
    const before = await send('GET', path);
    const id = Number(path.split('/').at(-1));
    for (const ifMatch of [old, `${old}, ${old}`, ...mismatches(tagOf(before))]) {
      const body = change('lost');
      expect(await send('PUT', path, { ifMatch, body })).toMatchObject(REFUSED);
      if (collection) expect(await send('PUT', collection, { ifMatch, body: { ...body, id } })).toMatchObject(REFUSED);
      if (!isPermanent) expect(await send('DELETE', path, { ifMatch })).toMatchObject(REFUSED);
      if (collection) expect(await send('DELETE', collection, { ifMatch, body: { id } })).toMatchObject(REFUSED);
    }
    const after = await send('GET', path);
    expect([tagOf(after), after.body]).toEqual([tagOf(before), { ...before.body, ...cacheMembersOf(after) }]);
    if (!isPermanent) expect(await send('DELETE', path, { ifMatch: tagOf(after) })).toMatchObject({ status: 200 });
  });

  it.each(all)('of %s succeeds once if several have the same tag', async (name, { create, change, member }) => {
    const path = await create();
    const ifMatch = tagOf(await send('GET', path));
    const wanted = Array.from({ length: 6 }, (_, n) => `${name} of ${n}`);
    const answers = await Promise.all(wanted.map(async (one) => await send('PUT', path, { ifMatch, body: change(one) })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
    const winner = answers.find(({ status }) => status === 200);
    const { body, headers } = await send('GET', path);
    expect([body[member], tagOf({ headers })]).toEqual([winner?.body[member], tagOf(winner ?? { headers: new Headers() })]);
  });

  it.each(all.filter(([, { isPermanent }]) => !isPermanent))('of %s never undoes a simultaneous removal', async (_, { create, change }) => {
    const path = await create();
    const ifMatch = tagOf(await send('GET', path));
    const [put, removed] = await Promise.all([send('PUT', path, { ifMatch, body: change('x') }), send('DELETE', path, { ifMatch })]);
    expect([put.status, removed.status].filter((status) => status === 200)).toHaveLength(1);
    expect([404, 412]).toContain(Math.max(put.status, removed.status));
  });
});

describe('the removal of a link with If-Match', () => {
  const links: [string, () => Promise<[Answer<Body>, string]>][] = [
    [
      'an embed link',
      async () => {
        const [{ id }, configuration] = [await aContainer(app, user), await aConfiguration()];
        return [await post(`embedlink/${id}`, { playerConfigurationId: configuration.body.id }), 'embedlink'];
      },
    ],
    [
      'a download link',
      async () => {
        const { id } = await aContainer(app, user);
        const formatIds = [await originalOf(app, user, 'video')];
        return [await post('downloadlink', { mediaContainerIds: [id], formatIds }), 'downloadlink'];
      },
    ],
  ];

  it.each(links)('needs the current version of %s', async (_, create) => {
    const [link, collection] = await create();
    const { id } = link.body;
    expect(tagOf(link)).toMatch(/^"[^"]+"$/);
    for (const ifMatch of [`"${id}-99"`, ...mismatches(tagOf(link))]) {
      expect(await send('DELETE', `${collection}/${id}`, { ifMatch })).toMatchObject(REFUSED);
      expect(await send('DELETE', collection, { ifMatch, body: { id } })).toMatchObject(REFUSED);
    }
    const ifMatch = `"other", ${tagOf(link)}`;
    const answers = await Promise.all([1, 2, 3].map(async () => await send('DELETE', `${collection}/${id}`, { ifMatch })));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(2);
    for (const { status } of refused) expect([404, 412]).toContain(status);
  });

  it('counts a move to another configuration as a change', async () => {
    const [{ id }, from, to] = [await aContainer(app, user), await aConfiguration(), await aConfiguration()];
    const link = await post(`embedlink/${id}`, { playerConfigurationId: from.body.id });
    await send('DELETE', `playerconfiguration/${from.body.id}`, { body: { move: to.body.id } });
    const again = await post(`embedlink/${id}`, { playerConfigurationId: to.body.id });
    expect([again.body.id, again.status]).toEqual([link.body.id, 200]);
    expect(await send('DELETE', `embedlink/${link.body.id}`, { ifMatch: tagOf(link) })).toMatchObject(REFUSED);
    expect(await send('DELETE', `embedlink/${link.body.id}`, { ifMatch: tagOf(again) })).toMatchObject({ status: 200 });
  });
});

describe('the version of a resource', () => {
  const sql = async (text: string, ...values: unknown[]) => await app.app.get(Database).query(text, values);

  /** A request with If-None-Match as browsers send it; fetch adds Cache-Control, with which there is no 304. */
  const askAgain = async (path: string, tag: string) => {
    const headers = { authorization: `Bearer ${token}`, 'if-none-match': tag };
    return (await rawRequest(app.url, { path: `/v5/${path}`, headers })).status;
  };

  it('changes with a change of many media containers', async () => {
    const { id } = await aContainer(app, user);
    const ifMatch = tagOf(await send('GET', `mediacontainer/${id}`));
    await post('mediacontainer/bulk', { ids: [id], set: { addTags: ['news'] } });
    expect(await send('PUT', `mediacontainer/${id}`, { ifMatch, body: { tags: [] } })).toMatchObject(REFUSED);
    expect((await send('GET', `mediacontainer/${id}`)).body.tags).toEqual(['news']);
  });

  it('does not change with what the service itself records, and a response that shows it is never 304', async () => {
    const { id: containerId } = await aContainer(app, user);
    const { id: dropsiteId } = (await post('dropsite', { name: 'Photos' })).body;
    const { id: subscriptionId } = (await post('subscriptions', aSubscriptionInput())).body;
    const offered = { mediaContainerIds: [containerId], formatIds: [await originalOf(app, user, 'video')] };
    const { id: linkId } = (await post('downloadlink', offered)).body;
    const paths = [`mediacontainer/${containerId}`, `dropsite/${dropsiteId}`, `subscriptions/${subscriptionId}`, `downloadlink/${linkId}`];
    const before = await Promise.all(paths.map(async (path) => tagOf(await send('GET', path))));
    await app.app.get(MediaContainersRepository).recordTechnicalMetadata(containerId, { streams: [] });
    await sql('UPDATE dropsites SET count_uploads = 5 WHERE id = $1', dropsiteId);
    await sql('UPDATE subscriptions SET last_executed_status = 204 WHERE id = $1', subscriptionId);
    await sql('UPDATE download_links SET uses = 5 WHERE id = $1', linkId);
    for (const [index, path] of paths.entries()) {
      expect(await askAgain(path, before[index] ?? '')).toBe(200);
      expect(tagOf(await send('GET', path))).toBe(before[index]);
    }
  });

  it('lets clients have 304 for what they have, where the response shows nothing else', async () => {
    const tag = tagOf(await send('GET', 'customer'));
    expect(await askAgain('customer', `"x", W/${tag}`)).toBe(304);
    expect([await askAgain('customer', '*'), await askAgain('customer', '"x"')]).toEqual([304, 200]);
  });

  it('can be required of nothing that has none', async () => {
    for (const path of ['v4/apps/1', 'v5/activity/0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11']) {
      const remove = async (ifMatch: string) =>
        (await call(`${app.url}/${path}`, { method: 'DELETE', token, headers: { 'if-match': ifMatch } })).status;
      expect([await remove('"1-1"'), await remove('*')]).toEqual([412, 404]);
    }
  });

  it('is documented for every operation that changes or removes something', () => {
    const changing = operations.filter(({ method }) => ['PUT', 'PATCH', 'DELETE'].includes(method));
    const takesIfMatch = ({ parameters }: Operation) => parameters.some((one) => one.in === 'header' && one.name === 'If-Match');
    expect(changing.filter((one) => !takesIfMatch(one)).map(({ name }) => name)).toEqual([]);
    expect(changing.filter(({ statuses }) => !statuses.includes('412')).map(({ name }) => name)).toEqual([]);
  });
});
