// Requests that are expensive to read or to check. Sent to a service by the bench `admission` and by test/stress/expensive-requests.spec.ts.

const many = (count, make) => Array.from({ length: count }, (_, at) => make(at)).join();
const object = (members) => `{${many(members, (at) => `"k${at}":${at}`)}}`;
const item = (at, rest) => `{"type":"image","fileName":"p${at}","originalFileExtension":"jpg","fileSize":${at}${rest}}`;
const entries = (count, at) => many(count, (n) => `{"title":"title ${n}","content":"a text of some length about the picture ${at}"}`);
const address = (at) => `10.0.${at >> 8}.${at & 255}`;
const ranges = (count) => many(count, (at) => `{"cidr":"${address(at)}","type":"ipv4"}`);

const json = (name, path, body, limitMs = 50) => ({ name, method: 'POST', path, type: 'application/json', body, limitMs });
const form = (name, path, body) => ({ name, method: 'POST', path, type: 'application/x-www-form-urlencoded', body, limitMs: 50 });
const headers = (name, path, sent) => ({ name, method: 'GET', path, headers: sent, limitMs: 50 });
const upload = (name, payload) => json(name, '/v5/s3/createUpload', `{"payload":[${payload}]}`, 150);

/** Each is sent with and without credentials. `limitMs`: how long it may block the event loop on an idle machine. */
export const expensiveRequests = () => [
  { name: 'nothing', method: 'GET', path: '/health/live', limitMs: 50 },
  upload(
    'createUpload: 1,000 items',
    many(1_000, (at) => item(at, ',"metadata":[]')),
  ),
  upload(
    'createUpload: 1,000 items, 7 MB of metadata',
    many(1_000, (at) => item(at, `,"metadata":[${entries(90, at)}]`)),
  ),
  upload(
    'createUpload: 7 MB of metadata, escapes and a name of a prototype',
    many(1_000, (at) => item(at, `,"metadata":[${entries(90, at)},{"title":"\\u00e9","content":"x","constructor":{}}]`)),
  ),
  upload(
    'createUpload: 380,000 different names',
    many(1_000, (at) => item(at, `,${many(380, (n) => `"k${at}_${n}":1`)}`)),
  ),
  upload('createUpload: 390,000 names in one item', item(1, `,${many(390_000, (n) => `"k${n}":1`)}`)),
  upload(
    'createUpload: 1,000 bad items, 7 MB',
    many(1_000, () => `{"type":"x","fileName":"p","x":"${'y'.repeat(7_000)}"}`),
  ),
  upload(
    'createUpload: 590,000 empty lists',
    many(590_000, () => '[]'),
  ),
  json('dropsite createUpload: 49,000 names', '/v5/dropsite/createUpload', `{"link":"x","payload":[${object(49_000)}]}`),
  json('49,000 names', '/v4/deauthorize', object(49_000)),
  json('150,000 names', '/v4/deauthorize', object(150_000)),
  json('190,000 levels', '/v4/deauthorize', `${'['.repeat(190_000)}${']'.repeat(190_000)}`),
  json('190,000 empty lists', '/v4/deauthorize', `{"l":[${many(190_000, () => '[]')}]}`),
  json('2 MB of text', '/v4/deauthorize', JSON.stringify({ device: 'x'.repeat(2_000_000) })),
  json('2 MB of escapes', '/v4/deauthorize', JSON.stringify({ device: '\n'.repeat(1_000_000) })),
  json('format: 49,000 settings', '/v5/format', `{"name":"x","settings":${object(49_000)}}`),
  json('player configuration: 10,000 ranges', '/v5/playerconfiguration', `{"name":"x","settings":{"ipWhiteList":[${ranges(10_000)}]}}`),
  json('player configuration: 10,000 bad ranges', '/v5/playerconfiguration', `{"settings":{"ipWhiteList":[${many(10_000, () => '{}')}]}}`),
  json('player configuration: 1,000 bad formats', '/v5/playerconfiguration', `{"formats":[${many(1_000, () => '{"formatId":"x"}')}]}`),
  json('subscription: 49,000 conditions', '/v5/subscriptions', `{"name":"x","instructions":[],"conditions":${object(49_000)}}`),
  form('form: 990 nested fields', '/v4/deauthorize', many(990, (at) => `a${at}${'[b]'.repeat(30)}=1`).replaceAll(',', '&')),
  form('form: a million brackets', '/v4/deauthorize', `a${'['.repeat(1_000_000)}=1`),
  form(
    'form: 64 KiB at the token endpoint',
    '/v4/token',
    many(9_000, (at) => `a${at}=1`)
      .replaceAll(',', '&')
      .slice(0, 65_000),
  ),
  form('form: 256 KiB of XML', '/v4/saml/x/acs', `SAMLResponse=${Buffer.from('<a>'.repeat(80_000)).toString('base64url')}`),
  headers('100 KB of Accept', '/v5/deliverEmbed/3b1b8a1e-1111-4111-8111-111111111111', { accept: 'a/b,'.repeat(25_000) }),
  headers('100 KB of cookies', '/v4/apps', { cookie: 'c=v; '.repeat(20_000) }),
  headers('16 KB of parameters', `/v5/format?${'a=1&'.repeat(4_000)}`, {}),
];

/** Sends one; returns the status, or the reason why the connection ended. */
export async function sendExpensive(url, { method, path, type, headers = {}, body }, token) {
  const sent = { ...headers, ...(type && { 'content-type': type }), ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(url + path, { method, headers: sent, body, redirect: 'manual' });
  await response.arrayBuffer();
  return response.status;
}
