import { beforeAll, describe, expect, it } from '@jest/globals';
import { AccountsService } from '../../src/modules/accounts/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { aContainer } from '../support/delivery/player-configurations.js';
import { leastOf, type Operation, operations, placesOf, resolve, typesOf } from '../support/documents/operations.js';
import { call, tokenOf } from '../support/media/uploads.js';

/** Those of the specification, and the log of one subscription: they ignore what they do not know (contract sections 1 and 12.1). */
const OF_SPECIFICATION = new Set([
  'GET /v4/apps',
  'GET /v5/format',
  'GET /v5/playerconfiguration',
  'GET /v5/subscriptions',
  'GET /v5/subscriptions/{idOrTemplate}',
]);

const queryOf = ({ parameters }: Operation) => parameters.filter((one) => one.in === 'query');
const isList = (operation: Operation): boolean =>
  operation.method === 'GET' && ['limit', 'cursor'].every((name) => queryOf(operation).some((one) => one.name === name));
const named = (some: readonly Operation[]) => some.map((operation): [string, Operation] => [operation.name, operation]);
const pathOf = ({ path }: Operation): string => path.replaceAll(/\{\w+\}/g, () => String(containerId));

type Answered = { readonly code?: string; readonly errors?: readonly { path: string; code: string; message: string }[] };

const app = useTestApp();
let token: string;
let containerId: number;
beforeAll(async () => {
  const user = await aUser(app, { customer: 'Operator', adminLevel: 100 });
  await app.app.get(AccountsService).declareCustomer({ name: 'Operator', operator: true });
  token = await tokenOf(app, user);
  containerId = (await aContainer(app, user)).id;
});

describe('an unknown parameter', () => {
  const lists = operations.filter(isList);
  const added = lists.filter(({ name }) => !OF_SPECIFICATION.has(name));

  it('is looked for in all lists', () => {
    expect(added.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['mediacontainer', 'embedlink/{id}', 'downloadlink', 'dropsite', 'activity'].map((one) => `GET /v5/${one}`)),
    );
    expect(lists.length - added.length).toBe(OF_SPECIFICATION.size);
  });

  it.each(named(added))('of %s is refused, and the answer names those that there are', async (_, operation) => {
    const names = operation.parameters.filter((one) => one.in !== 'header').map(({ name }) => name);
    for (const query of [
      'name=a',
      'createdafter=2026-01-01',
      'ID=7',
      'filter[name]=a',
      '__proto__=1',
      'constructor=1',
      'limit=5&toString=',
    ]) {
      const { status, body } = await call<Answered>(`${app.url}${pathOf(operation)}?${query}`, { token });
      const unknown = query.split('&').at(-1)?.split(/[=[]/)[0];
      if (unknown === '__proto__') continue; // no parser of queries takes it
      expect({ query, status, code: body.code }).toEqual({ query, status: 400, code: 'validation_failed' });
      expect(body.errors).toMatchObject([{ path: unknown, code: 'unknown_parameter' }]);
      for (const name of names) expect(body.errors?.[0]?.message).toContain(name);
    }
    const inBody = await call<Answered>(`${app.url}${pathOf(operation)}?name=a&other=b`, { token });
    expect(inBody.body.errors?.map(({ path }) => path)).toEqual(['name', 'other']);
    const { body } = await call<Answered>(`${app.url}${pathOf(operation)}?name=a&limit=abc`, { token });
    expect(body.errors).toMatchObject([
      { path: 'name', code: 'unknown_parameter' },
      { path: 'limit', code: 'type' },
    ]);
  });

  it.each(named(added))('of %s is neither a declared one nor one that only bypasses caches', async (_, operation) => {
    const known = queryOf(operation).map(({ name, schema = {}, example }) => `${name}=${String(example ?? leastOf(schema))}`);
    for (const query of [...known, known.join('&'), 'refresh=true', '_=1763602300000', '']) {
      expect([query, (await call(`${app.url}${pathOf(operation)}?${query}`, { token })).status]).toEqual([query, 200]);
    }
  });

  it.each(named(lists.filter(({ name, path }) => OF_SPECIFICATION.has(name) && !path.includes('{'))))(
    'of %s is ignored as ever',
    async (_, operation) => {
      expect((await call(`${app.url}${pathOf(operation)}?nothing=a`, { token })).status).toBe(200);
    },
  );
});

describe('a boolean in a query', () => {
  const withBooleans = operations.filter((operation) => queryOf(operation).some(({ schema }) => schema && typesOf(schema)?.has('boolean')));

  it.each(named(withBooleans))('of %s is true, false, 1 or 0', async (_, operation) => {
    const booleans = queryOf(operation).filter(({ schema }) => schema && typesOf(schema)?.has('boolean'));
    for (const { name } of booleans) {
      for (const value of ['true', 'false', '1', '0']) {
        const { body } = await call<Answered>(`${app.url}${pathOf(operation)}?${name}=${value}`, { method: operation.method, token });
        const problems = Array.isArray(body) ? [] : (body?.errors ?? []);
        expect(problems.filter(({ path }) => path === name)).toEqual([]);
      }
      const { status, body } = await call<Answered>(`${app.url}${pathOf(operation)}?${name}=yes`, { method: operation.method, token });
      expect([status, body.errors?.filter(({ path }) => path === name)]).toMatchObject([400, [{ code: 'type' }]]);
    }
  });

  it('accepts its four values', async () => {
    const configuration = { name: 'Site', type: 'image', templateId: 0, formats: [] };
    await call(`${app.url}/v5/playerconfiguration`, { token, body: configuration });
    const counted = async (value: string) => {
      const { body } = await call<{ countEmbeds?: number }[]>(`${app.url}/v5/playerconfiguration?showCountEmbeds=${value}`, { token });
      return body.map(({ countEmbeds }) => countEmbeds);
    };
    expect([await counted('1'), await counted('true')]).toEqual([[0], [0]]);
    expect([await counted('0'), await counted('false')]).toEqual([[undefined], [undefined]]);
  });
});

describe('a number beyond what the database stores', () => {
  const NUMBERS = ['2147483648', '-2147483649', '9999999999', '-9999999999', '9223372036854775808', '1e30'];
  const isNumber = ({ schema }: { schema?: Parameters<typeof typesOf>[0] }): boolean =>
    schema ? ['integer', 'number'].some((type) => typesOf(schema)?.has(type) ?? false) : false;
  /** Not of JSON only: some operations have pages and tracks. */
  const statusOf = async (method: string, path: string, body?: object): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    return (await fetch(`${app.url}${path}`, { method, headers, body: body && JSON.stringify(body), redirect: 'manual' })).status;
  };
  const tried = operations.filter(({ path }) => path.startsWith('/v5/'));

  it.each(named(tried.filter((operation) => operation.parameters.some(isNumber))))(
    'is refused or not found in %s',
    async (_, operation) => {
      for (const number of NUMBERS) {
        for (const { name, in: place } of operation.parameters.filter(isNumber)) {
          const inPath = place === 'path' ? { [name]: number } : {};
          const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => inPath[parameter] ?? '999999');
          const query = place === 'query' ? `?${name}=${number}` : '';
          expect([name, number, await statusOf(operation.method, `${path}${query}`)]).not.toEqual([name, number, 500]);
        }
      }
    },
  );

  it.each(named(tried.filter(({ body }) => body)))('is refused or not found in the body of %s', async (_, operation) => {
    const path = operation.path.replaceAll(/\{\w+\}/g, '999999');
    for (const place of placesOf(operation.body ?? {}).filter(isNumber)) {
      for (const number of NUMBERS) {
        const body = place.bodyWith({ is: Number(number) }) as object;
        expect([place.path, number, await statusOf(operation.method, path, body)]).not.toEqual([place.path, number, 500]);
      }
    }
  });
});

describe('a wrong id in the path', () => {
  const isInteger = ({ in: place, schema }: Operation['parameters'][number]): boolean =>
    place === 'path' && (schema ? (typesOf(schema)?.has('integer') ?? false) : false);
  const isWrongForNone = (types: ReadonlySet<string> | null): boolean =>
    types === null || (types.has('string') && (types.has('number') || types.has('integer')));
  /** A body whose members all have a wrong type. */
  const wrongBodyOf = ({ body }: Operation): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(resolve(body ?? {}).properties ?? {}).flatMap(([name, schema]) => {
        const types = typesOf(schema);
        return isWrongForNone(types) ? [] : [[name, types?.has('string') || types?.has('object') ? 7 : 'wrong']];
      }),
    );
  const withBody = operations.filter((operation) => operation.body && operation.parameters.some(isInteger));

  it.each(named(withBody))('of %s is reported together with the problems of the body', async (_, operation) => {
    const wrong = wrongBodyOf(operation);
    const path = operation.path.replaceAll(/\{\w+\}/g, 'abc');
    const { status, body } = await call<Answered>(`${app.url}${path}`, { method: operation.method, token, body: wrong });
    const reported = new Set(body.errors?.map((one) => one.path));
    expect({ status, code: body.code, members: Object.keys(wrong).filter((name) => !reported.has(name)) }).toEqual({
      ...{ status: 400, code: 'validation_failed' },
      members: [],
    });
    expect([...reported].filter((name) => /^(id|mediaId)$/.test(name)).length).toBe(operation.parameters.filter(isInteger).length);
  });

  it('is looked for in every resource that has changes', () => {
    const changes = withBody.filter(({ method }) => method === 'PUT').map(({ path }) => path.split('/')[2]);
    expect([...new Set(changes)].sort()).toEqual([
      ...['client', 'customers', 'dropsite', 'format', 'identityProvider', 'mediacontainer'],
      ...['playerconfiguration', 'subscriptions', 'user'],
    ]);
  });

  it('is reported together with the problems of the body when the body names another one', async () => {
    const { status, body } = await call<Answered>(`${app.url}/v5/mediacontainer/${containerId}`, {
      ...{ method: 'PUT', token },
      body: { id: containerId + 1, name: 7 },
    });
    expect([status, body.code, body.errors?.map(({ path, code }) => `${path} ${code}`)]).toEqual([
      ...[400, 'validation_failed'],
      ['name type', 'id id_mismatch'],
    ]);
  });
});
