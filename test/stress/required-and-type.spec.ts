import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aUser } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { leastOf, type Operation, operations, type Place, placesOf, typesOf } from '../support/documents/operations.js';
import { call, tokenOf } from '../support/media/uploads.js';

/** They speak OAuth, whose errors name no fields (RFC 6749 section 5.2), or forward a request to another service. */
const OTHER_SHAPES = new Set([
  'POST /v4/token',
  'POST /v4/revoke',
  'POST /v4/introspect',
  'POST /v4/checkSignedSession',
  'GET /v4/authorize',
]);
/** One of each type of JSON. None of the texts can be read as a number or boolean. */
const VALUES: Readonly<Record<string, unknown>> = { string: 'x', integer: 7, number: 1.5, boolean: true, array: [], object: {} };
/** Comes back as it was sent, whatever it is. */
const ECHOED = /uuid$/;
const TEMPLATES = 'POST /v5/subscriptions/{idOrTemplate}';

interface Problem {
  readonly path: string;
  readonly code: string;
}

describe('a missing field or one of another type', () => {
  let app: TestApp;
  let token: string;
  let link: unknown;
  beforeAll(async () => {
    app = await startTestApp();
    token = await tokenOf(app, await aUser(app, { adminLevel: 10 }));
    link = (await call(`${app.url}/v5/dropsite`, { token, body: { name: 'Photos' } })).body.link;
  });
  afterAll(async () => await app.close());

  /** What an operation says of a body; of items of an upload what stands in `error`. */
  async function problemsOf(operation: Operation, body: unknown): Promise<Problem[] | number> {
    const answer = await call<{ errors?: Problem[]; error?: { index: number; code: string; message: string }[] }>(
      `${app.url}${pathOf(operation)}`,
      { method: operation.method, token, body },
    );
    if (answer.status === 200 && answer.body.error) {
      return answer.body.error.map(({ index, code, message }) => ({ path: `payload.${index}.${message.split(' ')[0]}`, code }));
    }
    return answer.status === 400 ? (answer.body.errors ?? []).map(({ path, code }) => ({ path, code })) : answer.status;
  }

  /** With what no schema says: an e-mail has a template, or subject and text; a key has two names; and there has to be such a dropsite. */
  const completed = (least: unknown): unknown => {
    const body = least as { readonly type?: unknown };
    if (body.type === 'email') return { template: 'uploadComplete', ...body };
    if ('bucket' in body) return { key: 'uploads/1/x/0.jpg', ...body };
    return 'link' in body && 'payload' in body ? { ...body, link } : body;
  };

  const bodies = operations.filter(({ name, body }) => body && !OTHER_SHAPES.has(name));
  const withFields = bodies.map((operation): [string, Operation] => [operation.name, operation]);

  it('is looked for in all operations that take a body', () => {
    expect(withFields.length).toBeGreaterThan(30);
    expect(withFields.flatMap(([, { body }]) => placesOf(body ?? {})).length).toBeGreaterThan(400);
  });

  it.each(withFields)('is reported for %s only as required', async (_, operation) => {
    const wrong: unknown[] = [];
    for (const place of placesOf(operation.body ?? {}, completed).filter((one) => one.isRequired && !ECHOED.test(one.path))) {
      const expected = [{ path: place.path, code: 'required' }];
      const bodies = typesOf(place.schema)?.has('null') === false ? [place.bodyWith(), place.bodyWith({ is: null })] : [place.bodyWith()];
      for (const body of bodies) {
        const found = await problemsOf(operation, body);
        if (!isSame(found, expected)) wrong.push({ body, found, expected });
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each(withFields)('is reported for %s only as type', async (_, operation) => {
    const wrong: unknown[] = [];
    for (const place of placesOf(operation.body ?? {}, completed).filter((one) => !ECHOED.test(one.path))) {
      for (const value of mistypedFor(place)) {
        const body = place.bodyWith({ is: value });
        const found = await problemsOf(operation, body);
        const expected = [{ path: place.path, code: 'type' }];
        if (!isSame(found, expected)) wrong.push({ body, found, expected });
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['createDownloadLink', {}, 'payload.mediaContainerId', 'required'],
    ['createDownloadLink', { mediaContainerId: '7' }, 'payload.mediaContainerId', 'type'],
    ['createDownloadLink', { mediaContainerId: 7, formatIds: 7 }, 'payload.formatIds', 'type'],
    ['createDownloadLink', { mediaContainerId: 7, formatIds: ['7'] }, 'payload.formatIds.0', 'type'],
    ['createDownloadLink', { mediaContainerId: 7, receiver: [{}] }, 'payload.receiver.0.recipient', 'required'],
    ['createDownloadLink', null, 'payload', 'required'],
    ['createDownloadLink', [], 'payload', 'type'],
    ['dropsiteUploadStarted', { link: 7 }, 'payload.link', 'type'],
    ['dropsiteUploadStarted', 'x', 'payload', 'type'],
  ])('is reported for the template %s with %j', async (template, payload, path, code) => {
    const operation = operations.find(({ name }) => name === TEMPLATES);
    if (!operation) throw new Error(`${TEMPLATES} is gone.`);
    const ofTemplate = { ...operation, path: operation.path.replace('{idOrTemplate}', template) };
    expect(await problemsOf(ofTemplate, { payload })).toEqual([{ path, code }]);
  });

  const queries = operations.filter(({ name, parameters }) => !OTHER_SHAPES.has(name) && parameters.some((one) => one.in === 'query'));

  it.each(queries.map((operation): [string, Operation] => [operation.name, operation]))(
    'is told of the query of %s as that alone',
    async (_, operation) => {
      const parameters = operation.parameters.filter((one) => one.in === 'query' && !one.name.includes('['));
      const required = parameters.filter((one) => one.required);
      const wrong: unknown[] = [];
      const expectProblem = async (query: readonly (readonly [string, unknown])[], path: string, code: string) => {
        const text = new URLSearchParams(query.map(([name, value]): [string, string] => [name, String(value)])).toString();
        const { status, body } = await call<{ errors?: Problem[] }>(`${app.url}${pathOf(operation)}?${text}`, {
          method: operation.method,
          token,
        });
        const found = (body.errors ?? []).map((problem) => ({ path: problem.path, code: problem.code }));
        if (!isSame(found, [{ path, code }])) wrong.push({ text, status, body });
      };
      for (const { name, schema = {}, required: isRequired, example } of parameters) {
        if (operation.path.includes('deliverEmbed') || ['admission', 'auth', 'play'].includes(name)) continue; // credentials; an unreadable one counts as absent
        const others = required
          .filter((one) => one.name !== name)
          .map((one) => [one.name, one.example ?? leastOf(one.schema ?? {})] as const);
        if (isRequired) await expectProblem(others, name, 'required');
        const types = typesOf(schema);
        const isList = types?.has('array'); // repeated; one value is a list of one, and its elements are texts
        const texts =
          types?.has('string') || isList
            ? []
            : types?.has('boolean')
              ? ['x', '', '2', 'TRUE', 'yes', 'null']
              : ['x', '', '1.5', '1e2', 'true', '0x1', ' 1'];
        for (const text of texts) await expectProblem([...others, [name, text]], name, 'type');
        const value = example ?? leastOf(schema);
        if (!isList) await expectProblem([...others, [name, value], [name, value]], name, 'type');
        if (!types?.has('object')) await expectProblem([...others, [`${name}[a]`, value]], name, 'type');
      }
      expect(wrong).toEqual([]);
    },
  );
});

/** The path with an id that could be there. */
const pathOf = ({ method, path }: Operation): string =>
  path
    .replace('{idOrTemplate}', method === 'POST' ? 'createDownloadLink' : '1')
    .replaceAll(/\{(id|mediaId)\}/g, '1')
    .replaceAll(/\{\w+\}/g, 'x');

/** Values of all types that the schema does not accept. A number that is whole may be called a number or an integer. */
function mistypedFor({ schema }: Place): unknown[] {
  const types = typesOf(schema);
  if (types === null) return [];
  const accepts = (type: string) =>
    types.has(type) || (type === 'integer' && types.has('number')) || (type === 'number' && types.has('number'));
  const values = Object.entries(VALUES).filter(([type]) => !accepts(type));
  return values.map(([, value]) => value);
}

const isSame = (found: unknown, expected: unknown): boolean => JSON.stringify(found) === JSON.stringify(expected);
