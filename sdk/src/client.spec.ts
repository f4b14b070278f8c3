import { describe, expect, it } from '@jest/globals';
import { createClient } from './client.js';
import { ProblemError } from './problem-error.js';

const problem =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify({ status, code, detail: `It is ${code}.`, requestId: 'r-1', errors: [] }), {
      status,
      headers: { 'content-type': 'application/problem+json', ...headers },
    });
const apps = () => Response.json([]);

/** A client whose service answers with these responses in turn, and what it was asked with. */
function aClient(answers: readonly (() => Response)[], accessToken: Parameters<typeof createClient>[0]['accessToken'] = 'token') {
  const asked: { authorization: string | null; body: string }[] = [];
  const accepted: (string | null)[] = [];
  const requested: string[] = [];
  const left = [...answers];
  const fetch = async (request: Request) => {
    accepted.push(request.headers.get('accept'));
    requested.push(request.url);
    asked.push({ authorization: request.headers.get('authorization'), body: await request.text() });
    const answer = left.shift();
    if (!answer) throw new TypeError('fetch failed');
    return answer();
  };
  return { asked, accepted, requested, client: createClient({ baseUrl: 'https://media.example', accessToken, fetch }) };
}

const codeOf = async (call: Promise<unknown>) =>
  await call.then(
    () => 'success',
    (error: unknown) => (error as ProblemError).code,
  );

it('returns the data and the response', async () => {
  const { asked, client } = aClient([apps]);
  const { data, response } = await client.GET('/v4/apps');
  expect([data, response.status, asked[0]?.authorization]).toEqual([[], 200, 'Bearer token']);
});

describe('the pages of a list', () => {
  const page = (ids: readonly number[], next?: string) =>
    Response.json(
      ids.map((id) => ({ id })),
      { headers: next ? { link: `<https://media.example/v5/user?limit=2&cursor=${next}>; rel="next"` } : {} },
    );

  it('are read one after another, with the cursor of the one before', async () => {
    const { requested, client } = aClient([() => page([1, 2], '2'), () => page([3])]);
    const ids: number[] = [];
    for await (const users of client.pages('/v5/user', { limit: 2 })) ids.push(...users.map(({ id }) => id));
    expect(ids).toEqual([1, 2, 3]);
    expect(requested).toEqual(['https://media.example/v5/user?limit=2', 'https://media.example/v5/user?limit=2&cursor=2']);
  });

  it('are not read before they are asked for', async () => {
    const { requested, client } = aClient([() => page([1], '1')]);
    for await (const _ of client.pages('/v5/user/{id}/sessions', {}, { path: { id: 7 } })) break;
    expect(requested).toEqual(['https://media.example/v5/user/7/sessions']);
  });

  it('end with the error of a page that is refused', async () => {
    const { client } = aClient([() => page([1], '1'), problem(403, 'insufficient_scope')]);
    const read = async () => {
      for await (const _ of client.pages('/v5/user'));
    };
    await expect(read()).rejects.toMatchObject({ status: 403, code: 'insufficient_scope' });
  });
});

describe('an operation with two content types', () => {
  const record = {
    at: '2026-01-01T00:00:00.000Z',
    action: 'user.create',
    actor: 'user:1',
    onBehalfOf: null,
    subject: 'user:2',
    reason: null,
  };
  const lines = () => new Response(`${JSON.stringify(record)}\n`.repeat(2), { headers: { 'content-type': 'application/x-ndjson' } });

  it('answers with a list unless something else is asked for', async () => {
    const { accepted, client } = aClient([() => Response.json([record])]);
    const { data } = await client.GET('/v5/audit', { headers: { 'x-service-device': 'a device' } });
    const actions: string[] = data.map(({ action }) => action); // the compiler checks that the data is a list
    expect([actions, accepted[0]]).toEqual([['user.create'], 'application/json']);
  });

  it.each(['Accept', 'accept'] as const)('answers with a text for another %s', async (name) => {
    const { accepted, client } = aClient([lines]);
    const type = 'application/x-ndjson';
    const { data } = await client.GET('/v5/audit', { headers: name === 'Accept' ? { Accept: type } : { accept: type } });
    const text: string = data; // the compiler checks that the data is a text
    expect([text.split('\n').length, accepted[0]]).toEqual([3, type]);
  });

  it('answers as the call says', async () => {
    const { accepted, client } = aClient([lines, apps]);
    const init = { params: { path: { link: 'a link' } } };
    const { data } = await client.GET('/v5/audit', { headers: { Accept: 'application/x-ndjson' }, parseAs: 'blob' });
    const blob: Blob = data; // the compiler checks that the data is a blob
    expect(blob.size).toBeGreaterThan(0);
    const embed = await client.GET('/v5/deliverEmbed/{link}', { ...init, parseAs: 'text' });
    const page: string = embed.data;
    expect([page, accepted]).toEqual(['[]', ['application/x-ndjson', '*/*']]);
  });

  it('is typed by JSON if the call does not say more: the description of an embed link, not its page', async () => {
    const { accepted, client } = aClient([() => Response.json({ name: 'A film' })]);
    const { data } = await client.GET('/v5/deliverEmbed/{link}', { params: { path: { link: 'a link' } } });
    const { name }: { name: string } = data;
    expect([name, accepted[0]]).toEqual(['A film', 'application/json']);
  });
});

describe('an error', () => {
  it('of the service has its code, problems and request id', async () => {
    const { client } = aClient([problem(404, 'not_found')]);
    const error = await client.GET('/v4/apps').catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ status: 404, code: 'not_found', message: 'It is not_found.', requestId: 'r-1', errors: [] });
  });

  it('of OAuth has its code too, and one of a proxy in between has the status', async () => {
    const oauth = () => Response.json({ error: 'invalid_grant', error_description: 'Used.' }, { status: 400 });
    const { client } = aClient([oauth, () => new Response('<h1>Bad gateway</h1>', { status: 502 })]);
    expect(await codeOf(client.GET('/v4/apps'))).toBe('invalid_grant');
    expect(await codeOf(client.GET('/v4/apps'))).toBe('http_502');
  });

  it('of the network is one as well; an abort is not', async () => {
    const { client } = aClient([]);
    await expect(client.GET('/v4/apps')).rejects.toMatchObject({ name: 'ProblemError', status: 0, code: 'network_error' });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(client.GET('/v4/apps', { signal })).rejects.toThrow('enough');
  });
});

describe('a response', () => {
  it('that breaks off is an error of the network', async () => {
    const broken = () => new Response(new ReadableStream({ start: (stream) => stream.error(new TypeError('terminated')) }));
    await expect(aClient([broken]).client.GET('/v4/apps')).rejects.toMatchObject({ name: 'ProblemError', code: 'network_error' });
  });

  it('that is no JSON is an error too', async () => {
    expect(await codeOf(aClient([() => new Response('<h1>Hello</h1>')]).client.GET('/v4/apps'))).toBe('response_invalid');
  });
});

it('passes on what accessToken throws', async () => {
  const accessToken = () => {
    throw new RangeError('no token');
  };
  await expect(aClient([apps], accessToken).client.GET('/v4/apps')).rejects.toThrow(RangeError);
});

describe('after a 401', () => {
  it('the call is repeated with the next token, its body included', async () => {
    const refusedTokens: (string | undefined)[] = [];
    const accessToken = (refused?: string) => {
      refusedTokens.push(refused);
      return refused ? 'second' : 'first';
    };
    const { asked, client } = aClient([problem(401, 'token_expired'), () => Response.json({})], accessToken);
    await client.POST('/v5/s3/uploadComplete', { body: { uploadId: 'u' } });
    expect(refusedTokens).toEqual([undefined, 'first']);
    expect(asked).toEqual([
      { authorization: 'Bearer first', body: '{"uploadId":"u"}' },
      { authorization: 'Bearer second', body: '{"uploadId":"u"}' },
    ]);
  });

  it('the error stands if there is no other token, or if that is refused too', async () => {
    const same = aClient([problem(401, 'token_expired'), apps]);
    expect([await codeOf(same.client.GET('/v4/apps')), same.asked.length]).toEqual(['token_expired', 1]);
    let count = 0;
    const other = aClient([problem(401, 'token_expired'), problem(401, 'unauthenticated'), apps], () => String(count++));
    expect([await codeOf(other.client.GET('/v4/apps')), other.asked.length]).toEqual(['unauthenticated', 2]);
  });
});

describe('a Retry-After', () => {
  it.each([429, 503])('of %d is waited for', async (status) => {
    const { asked, client } = aClient([problem(status, 'rate_limited', { 'retry-after': '0' }), apps]);
    expect([await codeOf(client.GET('/v4/apps')), asked.length]).toEqual(['success', 2]);
  });

  it('of 503 is left to the caller of a POST, which may have been carried out; 429 is not', async () => {
    const body = { uploadId: 'u' };
    const { asked, client } = aClient([problem(503, 'database_unavailable', { 'retry-after': '0' }), apps]);
    expect([await codeOf(client.POST('/v5/s3/uploadComplete', { body })), asked.length]).toEqual(['database_unavailable', 1]);
    const limited = aClient([problem(429, 'rate_limited', { 'retry-after': '0' }), apps]);
    expect([await codeOf(limited.client.POST('/v5/s3/uploadComplete', { body })), limited.asked.length]).toEqual(['success', 2]);
  });

  it('of more than a minute is left to the caller, and so is a 503 without one', async () => {
    const { client } = aClient([problem(429, 'quota_exceeded', { 'retry-after': '3600' }), problem(503, 'storage_unavailable')]);
    await expect(client.GET('/v4/apps')).rejects.toMatchObject({ code: 'quota_exceeded', retryAfter: 3_600 });
    expect(await codeOf(client.GET('/v4/apps'))).toBe('storage_unavailable');
  });

  it('does not keep a call that is aborted', async () => {
    const { client } = aClient([problem(429, 'rate_limited', { 'retry-after': '50' })]);
    const controller = new AbortController();
    const call = client.GET('/v4/apps', { signal: controller.signal });
    setImmediate(() => controller.abort(new Error('enough')));
    await expect(call).rejects.toThrow('enough');
  });
});
