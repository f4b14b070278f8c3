import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aUser } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { aDropsite, type DropsiteBody, senderOf } from '../support/delivery/dropsites.js';
import { leastOf, type Operation, operations, placesOf } from '../support/documents/operations.js';
import { uploadMedia } from '../support/media/media.js';
import { call, tokenOf, type UploadDocument } from '../support/media/uploads.js';
import { rawRequest } from '../support/raw-request.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

const deep = (text: string, depth: number, end: string): string => `${text.repeat(depth)}1${end.repeat(depth)}`;

/** As JSON, because some of them no value of JavaScript is written as. */
const HOSTILE: readonly string[] = [
  ...['null', 'true', '""', '" "', '0', '-0', '-1', '1.5', '2147483648', '9007199254740993', '9223372036854775808', '1e308', '1e400'],
  ...['"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udc00x"', '"\\u202e\\ufeff\\u2028"', '"__proto__"', '"constructor"', '"toString"'],
  ...[
    '"%"',
    '"%00"',
    '"\'; DROP TABLE users; --"',
    '"../../.."',
    `"${'x'.repeat(20_000)}"`,
    '"1e400"',
    '"9223372036854775808"',
    '"-1"',
    '"0"',
  ],
  ...[
    '"2030-02-31T00:00:00Z"',
    '"275760-09-13T00:00:00.001Z"',
    '"9999-12-31T23:59:59-23:59"',
    '"0000-01-01"',
    '"0001-01-01T00:00:00+14:00"',
  ],
  ...[
    '[]',
    '[[]]',
    '[null]',
    '["1",1,{},[]]',
    '[1e400]',
    '{}',
    '{"toString":1,"valueOf":2}',
    '[{"toString":1,"valueOf":2}]',
    '{"toString":null,"toJSON":1,"then":1}',
  ],
  ...['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}', '{"length":-1,"0":1}', '{"hasOwnProperty":1,"":1,"a.b":1}'],
  ...[deep('[', 80, ']'), deep('{"a":', 80, '}'), deep('[', 5_000, ']'), deep('{"a":', 5_000, '}')],
  ...['"00000000-0000-0000-0000-000000000000"', '"::ffff:1.2.3.4/129"', '"https://[::1"', '"(a+)+$"', '"event:s3success"'],
];

const KEYS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'length', ''];
/** In a query each of them is a text; brackets make objects and lists of them. */
const QUERY_SUFFIXES = ['', '[]', '[a]', '[__proto__]', '[toString]', `${'[a]'.repeat(30)}`];
const AT_ONCE = 8;
const STEP = 7; // prime to the number of values
let turn = 0;

interface Caller {
  readonly token: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

let storage: TestStorage;
let app: TestApp;
let callers: Readonly<Record<'administrator' | 'sender' | 'stranger', Caller>>;
let ids: Readonly<Record<string, string>>;
let dropsite: DropsiteBody;
const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE });

beforeAll(async () => {
  storage = await startTestStorage();
  app = await startTestApp({ ...storage.settings });
  const site = await aDropsite(app);
  dropsite = site.dropsite;
  const administrator = await aUser(app, { adminLevel: 10 });
  const token = await tokenOf(app, administrator);
  const made = async (path: string, body: object) => {
    const answer = await call(`${app.url}/v5/${path}`, { token, body });
    if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { id: container, mediaId } = await uploadMedia(app, token);
  const configuration = await made('playerconfiguration', { name: 'Site', type: 'image', templateId: 0, formats: [] });
  const embed = await made(`embedlink/${container}`, { playerConfigurationId: configuration.id });
  const [original] = (await call<{ id: number; settings: { mediaTypes: string[] } }[]>(`${app.url}/v5/format?mediaType=image`, { token }))
    .body;
  const download = await made('downloadlink', { mediaContainerIds: [container], formatIds: [original?.id] });
  const own = await made('dropsite', { name: 'Ours' });
  const subscription = await made('subscriptions', {
    name: 'event:s3success',
    flag: 0,
    instructions: [{ type: 'https', url: 'https://hooks.example.org/arrived' }],
  });
  const upload = (
    await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, {
      token,
      body: { payload: [{ type: 'image', fileName: 'a', originalFileExtension: 'jpg', fileSize: 1 }] },
    })
  ).body;
  const session = await senderOf(app, dropsite.link).session();
  const clientid = { clientid: dropsite.clientId };
  callers = {
    administrator: { token, headers: {} },
    sender: { token: session.access_token, headers: clientid },
    stranger: { token: null, headers: clientid },
  };
  ids = {
    mediacontainer: String(container),
    mediaId: String(mediaId),
    playerconfiguration: String(configuration.id),
    embedlink: String(container),
    link: String(embed.link),
    format: String(original?.id),
    downloadlink: String(download.id),
    dropsite: String(own.id),
    subscriptions: String(subscription.id),
    jobId: upload.jobId,
  };
});

afterAll(async () => {
  agent.destroy();
  await app.close();
  await storage.close();
});

/** The path with ids of what is there. */
function pathOf({ method, path }: Operation): string {
  const noun = path.split('/')[2] ?? '';
  const link = path.includes('dropsite') ? dropsite.link : String(ids.link);
  return path
    .replace('{idOrTemplate}', method === 'POST' ? 'createDownloadLink' : String(ids.subscriptions))
    .replace('{id}', ids[noun] ?? '1')
    .replace('{mediaId}', String(ids.mediaId))
    .replace('{jobId}', String(ids.jobId))
    .replace('{link}', link)
    .replaceAll(/\{\w+\}/g, 'x');
}

/** A body as it should be, as far as the document says. */
function completed(least: unknown): unknown {
  const body = least as Record<string, unknown>;
  if (body.type === 'email') return { template: 'uploadComplete', ...body };
  return 'link' in body ? { ...body, link: dropsite.link } : body;
}

interface Attempt {
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is wrong with the answers: a status of 500 or more, or words of the machinery. */
async function failuresOf({ method, name }: Operation, attempts: readonly Attempt[], caller: Caller): Promise<unknown[]> {
  const failures: unknown[] = [];
  const waiting = [...attempts];
  const sendOne = async () => {
    for (let attempt = waiting.shift(); attempt; attempt = waiting.shift()) {
      const { path, body, headers = {} } = attempt;
      const { status, text } = await rawRequest(app.url, {
        method,
        path,
        body,
        agent,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(caller.token !== null && { authorization: `Bearer ${caller.token}` }),
          ...caller.headers,
          ...headers,
        },
      });
      if (status >= 500 || /node_modules|\.ts:\d+|syntax error|out of range for type/.test(text)) {
        failures.push({ name, path: path.slice(0, 300), body: body?.slice(0, 300), headers, status, text: text.slice(0, 300) });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendOne));
  return failures;
}

/** Takes turns, so that all values are tried at many places, and a place gets others than the one before. EVERY_VALUE=1: all at each. */
function someOf(values: readonly string[], count: number): readonly string[] {
  if (process.env.EVERY_VALUE === '1') return values;
  const chosen = Array.from({ length: Math.min(count, values.length) }, (_, index) => values[(turn + index * STEP) % values.length] ?? '');
  turn += 1;
  return chosen;
}

/** Hostile values in each place of the body, and bodies that are hostile themselves. */
function bodiesFor({ body, parameters }: Operation): string[] {
  const inPlaces = placesOf(body ?? {}, completed).flatMap((place) => {
    const text = JSON.stringify(place.bodyWith({ is: '@hostile@' }));
    return someOf(HOSTILE, place.path.includes('.') ? 3 : 10).map((value) => text.replace('"@hostile@"', () => value));
  });
  const least = body ? JSON.stringify(completed(leastOf(body))) : '{}';
  const rest = least === '{}' ? '}' : `,${least.slice(1)}`;
  const ofPath = parameters.filter((one) => one.in === 'path').map(({ name }) => name.replace('idOrTemplate', 'id'));
  const withKeys = [...KEYS, ...ofPath].flatMap((key) =>
    someOf(HOSTILE, ofPath.includes(key) ? HOSTILE.length : 2).map((value) => `{${JSON.stringify(key)}:${value}${rest}`),
  );
  return [...someOf(HOSTILE, 12), ...inPlaces, ...(least.startsWith('{') ? withKeys : [])];
}

/** Hostile values in each parameter of query and path. */
function urlsFor(operation: Operation): string[] {
  const path = pathOf(operation);
  const texts = HOSTILE.map((value) => value.replace(/^"|"$/g, '').slice(0, 3_000));
  const query = operation.parameters.filter((one) => one.in === 'query').map(({ name }) => name);
  const others = (name: string) =>
    operation.parameters
      .filter((one) => one.in === 'query' && one.required && one.name !== name)
      .map((one) => `&${one.name}=${encodeURIComponent(String(one.example ?? leastOf(one.schema ?? {})))}`)
      .join('');
  const inQuery = query.flatMap((name) => [
    ...someOf(texts, 8).map((text) => `${path}?${name}=${encodeURIComponent(text)}${others(name)}`),
    ...someOf(QUERY_SUFFIXES, 2).map((suffix) => `${path}?${name}${suffix}=1&${name}=2${others(name)}`),
  ]);
  const strange = ['id', 'limit', ...KEYS].flatMap((name) =>
    someOf(QUERY_SUFFIXES, 1).map((suffix) => `${path}?${name}${suffix}=${encodeURIComponent(someOf(texts, 1)[0] ?? '')}${others(name)}`),
  );
  const hostilePath = (text: string) => operation.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(text) || '%20');
  const inPath = operation.path.includes('{') ? someOf(texts, 12).map((text) => `${hostilePath(text)}?${others('').slice(1)}`) : [];
  return [...inQuery, ...strange, ...inPath];
}

const HEADERS = [
  'x-service-device',
  'x-service-clientid',
  'idempotency-key',
  'if-match',
  'x-request-id',
  'accept',
  'range',
  'x-service-rts',
];
const HEADER_VALUES = ['', '-1', '*', '"', '1e400', '\u00ff', 'x'.repeat(5_000)];

function attemptsFor(operation: Operation): Attempt[] {
  const path = pathOf(operation);
  const body = operation.body ? JSON.stringify(completed(leastOf(operation.body))) : undefined;
  const signature = { 'x-service-accesskey': 'key', 'x-service-hash': 'a', 'x-service-version': '5', authorization: '' };
  const signed = () => ({ ...signature, 'x-service-rts': String(Math.floor(Date.now() / 1_000)) });
  return [
    ...urlsFor(operation).map((url) => ({ path: url, body })),
    ...bodiesFor(operation).map((text) => ({ path, body: text })),
    ...someOf(HOSTILE, 4).map((text) => ({ path, body: text, headers: signed() })),
    ...HEADERS.flatMap((name) => someOf(HEADER_VALUES, 1).map((value) => ({ path, body, headers: { [name]: value } }))),
  ];
}

/** Those that remove things come last, so that the others find them. */
const all = [...operations].sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

describe('any value in any place', () => {
  it.each(all.map((operation): [string, Operation] => [operation.name, operation]))('of %s is never our failure', async (_, operation) => {
    expect(await failuresOf(operation, attemptsFor(operation), callers.administrator)).toEqual([]);
  });

  const open = operations.filter(({ path }) => /dropsite|s3\/|deliver|jobResult|oembed|\/v4\//.test(path));

  it.each(open.map((operation): [string, Operation] => [operation.name, operation]))(
    'of %s is never our failure for senders and strangers',
    async (_, operation) => {
      expect(await failuresOf(operation, attemptsFor(operation), callers.sender)).toEqual([]);
      expect(await failuresOf(operation, attemptsFor(operation), callers.stranger)).toEqual([]);
    },
  );
});
