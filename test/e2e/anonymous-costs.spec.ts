import { beforeAll, describe, expect, it } from '@jest/globals';
import { AppModule } from '../../src/app.module.js';
import { loadConfig } from '../../src/shared/config/index.js';
import { Database } from '../../src/shared/database/index.js';
import { createLog } from '../../src/shared/logging/index.js';
import { COSTLY_BODIES, COSTLY_HEADERS, COSTLY_QUERY, type CostlyRequest, findExcess } from '../support/costs.js';
import { stageDeliverEmbed } from '../support/delivery/deliver-embed-stage.js';
import { aFormat } from '../support/delivery/player-configurations.js';
import { routesOf } from '../support/documents/routes.js';

/** A request for an archive that has been laid out (contract section 14.1). */
const KEPT_MS = 20;
/** A request that is answered with all files of the archive. */
const WHOLE_ARCHIVE_MS = 400;
const NAMES = 1_000;
const NAMES_TOGETHER = 50;
const ID = '3b1b8a1e-1111-4111-8111-111111111111';

const stage = stageDeliverEmbed();
/** The address of a link of many documents with names that are expensive to make safe. */
let archive: string;
let embed: string;

beforeAll(async () => {
  embed = (await stage.embed({ type: 'image', original: { fileName: 'harbour.jpg', content: 'harbour' } })).link;
  const format = await aFormat(stage.app, stage.publisher.user, { name: 'Any', settings: { mediaTypes: ['document'] } });
  const { customerId, id: creatorId } = stage.publisher.user;
  const database = stage.app.app.get(Database);
  const ids: number[] = [];
  // A few at a time: words of such names take milliseconds each, and a statement must not reach its limit on a busy machine.
  for (let first = 1; first <= NAMES; first += NAMES_TOGETHER) {
    const { rows } = await database.query<{ id: number }>(
      `WITH containers AS (
          INSERT INTO media_containers (customer_id, creator_id, type, name)
            SELECT $1, $2, 'document', repeat('é', 1000) || n FROM generate_series($4::int, $5::int) AS n RETURNING id, name
        ), items AS (
          INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key, etag, crc32)
            SELECT id, $1, $3, 'document', name, 'pdf', 7, 'successful', 'media', 'renditions/none/' || id, 'none', 7 FROM containers
        )
        SELECT id FROM containers ORDER BY id`,
      [customerId, creatorId, format.id, first, first + NAMES_TOGETHER - 1],
    );
    ids.push(...rows.map(({ id }) => id));
  }
  const made = await database.queryOne<{ link: string }>(
    `INSERT INTO download_links (link, customer_id, media_container_ids, format_ids, creator_id)
      VALUES (gen_random_uuid(), $1, $2, ARRAY[$3::int], $4) RETURNING link`,
    [customerId, ids, format.id, creatorId],
  );
  archive = `/l/${made?.link}/archive`;
}, 300_000);

/** Values of parameters of paths: things that exist, where that makes a request more expensive. */
const parameterOf = (route: string, parameter: string): string => {
  if (parameter === 'link') return route.includes('/deliver') ? embed : route.includes(' /l/') ? (archive.split('/')[2] ?? '') : ID;
  return ['mediaId', 'containerId', 'id'].includes(parameter) ? '1' : ID;
};

const pathOf = (route: string): string =>
  (route.split(' ')[1] ?? '').replace(/[:*](\w+)/g, (_, parameter: string) => parameterOf(route, parameter));

const json = (name: string, body: unknown, maxMs?: number) => ({
  name,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
  ...(maxMs !== undefined && { maxMs }),
});
const form = (name: string, fields: Record<string, string>) => ({
  name,
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});
const query = (name: string, text: string) => ({ name, query: text });

interface Worst {
  readonly name: string;
  readonly query?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly maxMs?: number;
}

const payload = Array.from({ length: NAMES }, (_, n) => ({ type: 'image', fileName: `p${n}`, originalFileExtension: 'jpg', fileSize: n }));
const XML = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">${'<a b="c">'.repeat(1_900)}`;

/** What is worst for an operation, besides long headers, queries and bodies, which all of them get; empty: nothing else is known. */
const WORST: Readonly<Record<string, readonly Worst[]>> = {
  'GET /l/:link/archive': [
    { name: 'HEAD', method: 'HEAD', maxMs: KEPT_MS },
    { name: 'its first byte', headers: { range: 'bytes=0-0' }, maxMs: KEPT_MS },
    { name: 'bytes beyond its end', headers: { range: 'bytes=999999999-' }, maxMs: KEPT_MS },
    { name: 'its end', headers: { range: 'bytes=-1' }, maxMs: KEPT_MS },
    { name: 'another archive', headers: { 'if-match': '"x"' }, maxMs: KEPT_MS },
  ],
  'GET /l/:link': [query('a late page', 'from=900.0'), query('a page that does not exist', 'from=999999999.999999999')],
  'GET /v5/deliverEmbed/:link/image': [query('sizes of every kind', 'width=8192&height=1&fit=cover&format=png')],
  'GET /v5/oembed': [
    query('an address with a long path', `url=${encodeURIComponent(`https://example.org/${'a/'.repeat(3_000)}`)}`),
    query('an address with a long host', `url=${encodeURIComponent(`https://${'a.'.repeat(3_000)}/`)}`),
  ],
  'POST /v5/deliverEmbed/:link/plays': [
    json('many hundredths', { token: 'x'.repeat(4_000), seen: Array.from({ length: 10_000 }, (_, n) => n), position: 1 }),
  ],
  'POST /v5/dropsite/createUpload': [json('a thousand items', { link: ID, payload }, 150)],
  'POST /v5/dropsite/:link/token': [json('a long code', { code: 'x'.repeat(60_000) })],
  'POST /v4/saml/:ssoIdentifier/acs': [form('nested XML', { SAMLResponse: Buffer.from(XML).toString('base64') })],
  'POST /v4/checkSignedSession': [
    json('a signature over many parameters', {
      accessKey: 'x',
      signature: 'y'.repeat(1_000),
      parameters: Object.fromEntries(payload.map(({ fileName }) => [fileName, '1'])),
    }),
  ],
  'POST /account/forgot': [form('a long address', { email: `${'a.'.repeat(20_000)}@${'b.'.repeat(8_000)}example` })],
};

/** Of oidc-provider and steps before Nest. */
const PROTOCOL: readonly (Worst & { readonly path: string })[] = [
  { path: '/v4/authorize', ...query('long scopes', `client_id=demo&response_type=code&scope=${'openid%20'.repeat(1_300)}`) },
  {
    path: '/v4/authorize',
    ...query('a long redirect URI', `client_id=demo&response_type=code&redirect_uri=https://${'a.'.repeat(6_000)}`),
  },
  {
    path: '/v4/authorize',
    ...query('nested claims', `client_id=demo&response_type=code&scope=openid&claims=${'%7B%22a%22%3A'.repeat(900)}`),
  },
  {
    path: '/v4/token',
    method: 'POST',
    ...form('a long code', { grant_type: 'authorization_code', code: 'x'.repeat(60_000), client_id: 'demo' }),
  },
  {
    path: '/v4/token',
    method: 'POST',
    ...form('a long assertion', { grant_type: 'client_credentials', client_assertion: `${'e30.'.repeat(15_000)}` }),
  },
  { path: '/v4/introspect', method: 'POST', ...form('a token of many parts', { token: 'a.'.repeat(30_000) }) },
  { path: '/.well-known/openid-configuration', name: 'nothing else' },
  { path: '/.well-known/oauth-authorization-server', name: 'nothing else' },
  { path: '/v4/jwks', name: 'nothing else' },
  { path: '/v4/logout', ...query('a long hint', `id_token_hint=${'e30.'.repeat(3_000)}`) },
  { path: `/${'a/'.repeat(7_000)}`, name: 'an unknown address of many parts' },
  { path: `/${'%C3%A9'.repeat(2_000)}`, name: 'an unknown address of escapes' },
];

const routes = routesOf(AppModule.for(loadConfig({}), createLog({ level: 'silent', service: 'test' })))
  .filter(({ isPublic }) => isPublic)
  .map(({ name }) => name)
  .sort();

/** Why some requests are too expensive. */
async function findTooExpensive(requests: readonly CostlyRequest[]): Promise<string[]> {
  const found: (string | null)[] = [];
  for (const request of requests) found.push(await findExcess(stage.app.url, request));
  return found.filter((one) => one !== null);
}

describe('an operation that is open without a sign-in', () => {
  it('has worst inputs in the table, which names no other operations', () => {
    expect(Object.keys(WORST).filter((name) => !routes.includes(name))).toEqual([]);
    expect(routes.length).toBeGreaterThan(80);
  });

  it.each(routes)('%s takes little processor time, whatever is sent', async (route) => {
    const [method = 'GET'] = route.split(' ');
    const path = pathOf(route);
    const bodies = method === 'POST' ? COSTLY_BODIES : [];
    if (route === 'GET /l/:link/archive') await fetch(stage.app.url + path, { method: 'HEAD' }); // lays it out
    const requests = [
      { name: 'long headers', path, headers: COSTLY_HEADERS },
      ...Object.entries(COSTLY_HEADERS).map(([name, value]) => ({ name, path, headers: { [name]: value } })),
      { name: 'a long query', path: `${path}?${COSTLY_QUERY}` },
      ...bodies.map(([type, body]) => ({ name: `${type} ${body.slice(0, 8)}`, path, method, body, headers: { 'content-type': type } })),
      ...(WORST[route] ?? []).map(({ query: text, ...worst }) => ({
        method,
        ...worst,
        path: text === undefined ? path : `${path}?${text}`,
      })),
    ].map((request) => ({ method, ...(route === 'GET /l/:link/archive' && { maxMs: WHOLE_ARCHIVE_MS }), ...request }));
    expect(await findTooExpensive(requests)).toEqual([]);
  });

  it.each(PROTOCOL)('$path takes little processor time: $name', async ({ path, query: text, ...request }) => {
    expect(await findTooExpensive([{ ...request, path: text === undefined ? path : `${path}?${text}` }])).toEqual([]);
  });
});
