import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import acSignature from 'ac-signature';
import type { Request } from 'express';
import { AccessTokenIssuerService } from '../../src/modules/access/index.js';
import { AccessKeysService, AccountsService } from '../../src/modules/accounts/index.js';
import type { OpenedLink } from '../../src/modules/delivery/gate/delivery-gate.service.js';
import { PlayReportsService } from '../../src/modules/delivery/plays/play-reports.service.js';
import { Database } from '../../src/shared/database/index.js';
import { aClient, aUser } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { ignoreMissingPrograms } from '../support/converter/converter-workers.js';
import { aFormat } from '../support/converter/formats.js';
import { put } from '../support/delivery/dropsites.js';
import { ExampleRecorder, shapeOf } from '../support/documents/recorded-example.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { call, type ProcessedItem, tokenOf } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';
import { subscriptionsOf } from '../support/subscriptions/subscriptions.js';
import { WebhookReceiver } from '../support/subscriptions/webhook-receiver.js';

/** The token of a play, as a page of the link contains it. */
function aPlay({ app }: TestApp, link: { readonly id: number; readonly link: string }): string {
  const opened = { link: { ...link, customerId: 1, mediaContainerId: 1 }, configuration: { id: 1 }, items: [], viewer: {} };
  const request = { query: {}, headers: {}, context: { host: '' } };
  return app.get(PlayReportsService).issue(opened as unknown as OpenedLink, request as unknown as Request);
}

type Body = Readonly<Record<string, unknown>>;

const ACCESS = { accessKey: 'key-1', accessSecret: 'the secret of the access key' };

/** Operations without a body, and the parameters of their query. */
const FINDS: Readonly<Record<string, string>> = {
  'get /v5/mediacontainer': '?search=interview',
  'get /v5/mediacontainer/facets': '?search=interview',
  'get /v5/mediacontainer/{id}': '',
};

/** Examples of responses; `RECORD_EXAMPLES=true npm test -- request-examples` records those of the operations that the file names. */
const RECORDED = 'src/openapi/response-examples.json';
const recorded = JSON.parse(readFileSync(RECORDED, 'utf8')) as Record<string, unknown>;

interface Example {
  /** For example `put /v5/format/{id}`. */
  readonly name: string;
  readonly status: number;
  readonly body?: Body;
}

const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
/** Deletions come last, because they delete what others name. */
const examples: readonly Example[] = Object.entries(paths)
  .flatMap(([path, item]) =>
    (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
      const { requestBody, responses } = item[method] ?? {};
      const body = requestBody && 'content' in requestBody ? requestBody.content['application/json']?.example : undefined;
      const status = Math.max(...Object.keys(responses ?? {}).flatMap((one) => (one.startsWith('2') ? [Number(one)] : [])));
      return body || `${method} ${path}` in FINDS ? [{ name: `${method} ${path}`, status, body }] : [];
    }),
  )
  .sort((one, other) => Number(isDeletion(one)) - Number(isDeletion(other)));

function isDeletion({ name }: Example): boolean {
  return name.startsWith('delete ') || name === 'post /v4/deauthorize';
}

describe('the example of a request', () => {
  let recorder: ExampleRecorder;
  let storage: TestStorage;
  let receiver: WebhookReceiver;
  let app: TestApp;
  let token: string;
  /** Parameters of paths. */
  let parameters: Readonly<Record<string, string | number>>;
  /** What no example can contain: it is secret, or chosen by the service. */
  let secrets: Record<string, Body>;

  beforeAll(async () => {
    [storage, receiver] = await Promise.all([startTestStorage(), WebhookReceiver.start()]);
    app = await startTestApp({ ...storage.settings, worker: 'inline', egressAllowlist: ['127.0.0.1'], retryScheduleSeconds: [] });
    ignoreMissingPrograms(app);
    await prepare();
    const names = { [app.url]: 'https://media.example.org', [storage.settings.s3Endpoint ?? '']: 'https://storage.example.org' };
    recorder = new ExampleRecorder({ names, requests: JSON.stringify(examples) });
  });
  afterAll(async () => {
    if (process.env.RECORD_EXAMPLES) writeFileSync(RECORDED, `${JSON.stringify(recorded, null, 2)}\n`);
    await app?.close();
    await receiver?.close();
    await storage?.close();
  });

  const post = async <Answer = { id: number; link: string }>(path: string, body: object, as: string | null = token): Promise<Answer> => {
    const { status, body: answer } = await call<Answer>(`${app.url}${path}`, { method: 'POST', token: as, body });
    if (status > 201) throw new Error(`post ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  };

  const bodyOf = (name: string): Body => examples.find((example) => example.name === name)?.body ?? {};

  /** Everything that the examples name. */
  async function prepare(): Promise<void> {
    const database = app.app.get(Database);
    const user = await aUser(app, { email: 'ada@example.org', adminLevel: 100, customer: 'Operator' });
    await app.app.get(AccountsService).declareCustomer({ name: 'Operator', operator: true });
    token = await tokenOf(app, user);
    await app.app.get(AccessKeysService).declare({ ...ACCESS, userId: user.id });
    const { client_id: clientId, redirect_uri: redirectUri } = bodyOf('post /v4/requestCode');
    await aClient(app, { clientId: String(clientId), redirectUris: [String(redirectUri)] });

    const film = { type: 'video', fileName: 'interview.mp4', originalFileExtension: 'mp4' };
    const { id } = await uploadMedia(app, token, film);
    const { id: withoutLink } = await uploadMedia(app, token, { ...film, fileName: 'another.mp4' });
    const subtitles = { fileName: 'de.vtt', originalFileExtension: 'vtt', content: 'WEBVTT\n\n00:00.000 --> 00:01.000\nHallo\n' };
    const track = await uploadMedia(app, token, { ...film, ...subtitles, mediaContainerId: id, role: 'subtitles', language: 'de' });
    const uninspected = `SELECT id FROM media_items WHERE file_description IS NULL AND status = 'successful'`;
    await eventually(async () => (await database.query(uninspected)).rowCount === 0);
    const format = await aFormat(app, token);
    const { id: playerConfigurationId } = await post('/v5/playerconfiguration', {
      ...bodyOf('post /v5/playerconfiguration'),
      securitySettings: { authOnly: false, extAuth: { enabled: true, allowedAccessKeys: [ACCESS.accessKey] } },
    });
    const embed = await post(`/v5/embedlink/${id}`, { playerConfigurationId });
    await post('/v5/downloadlink', bodyOf('post /v5/downloadlink'));
    const dropsite = await post('/v5/dropsite', bodyOf('post /v5/dropsite'));
    const { identifier: link } = bodyOf('post /v5/extAuth');
    await database.query('UPDATE embed_links SET link = $1 WHERE id = $2', [link, embed.id]);
    await database.query('UPDATE dropsites SET link = $1 WHERE id = $2', [link, dropsite.id]);
    const subscriptions = subscriptionsOf(app, token);
    const instructions = [{ type: 'https', url: `${receiver.origin()}/hook` }];
    const { id: subscriptionId } = await subscriptions.made({ name: 'event:releaseRequest', instructions });
    await post(`/v5/mediacontainer/${id}/releaseRequest`, {});
    await eventually(async () => (await subscriptions.get(subscriptionId)).body.logs.length === 1);

    const issued = await app.app
      .get(AccessTokenIssuerService)
      .issue({ userId: user.id, clientId: String(clientId), scope: 'api', authorization: null });
    const { body: delivery } = await call<{ code: string }>(`${app.url}/v5/dropsite/deliver/${link}`);
    parameters = { id, withoutLink, mediaId: track.mediaId, link: String(link) };
    secrets = {
      'post /v4/introspect': { token: issued.accessToken },
      'post /v4/revoke': { token: issued.accessToken },
      'post /v5/deliverEmbed/{link}/plays': { play: aPlay(app, { ...embed, link: String(link) }) },
      'post /v5/dropsite/{link}/token': { code: delivery.code },
      'post /v5/s3/success': { bucket: storage.address.bucket },
    };
    expect(bodyOf('put /v5/format').id).toBe(format.id);
  }

  /** The path with the parameters of what was prepared. */
  const pathOf = (name: string): string => {
    const [method = '', template = ''] = name.split(' ');
    const [, , resource = ''] = template.split('/');
    const [format, user] = [bodyOf('put /v5/format').id, bodyOf('put /v5/user').id];
    const own = { format, user, client: bodyOf('put /v5/client').id, embedlink: parameters.withoutLink, mediacontainer: parameters.id }[
      resource
    ];
    const id = own ?? 1;
    const idOrTemplate = method === 'post' ? 'createDownloadLink' : 1;
    return template.replaceAll(/\{(\w+)\}/g, (_, parameter) => String({ ...parameters, id, idOrTemplate }[parameter as string]));
  };

  /** Signatures of those operations that servers sign. */
  const headersOf = (name: string, body: Body): Record<string, string> => {
    if (name === 'post /v5/extAuth') return signed('/v5/extAuth', body);
    if (name === 'post /v4/checkSignedSession') return { ...signed('/v1/userTask', body), 'x-service-authmeta': 'post:/v1/userTask' };
    return {};
  };
  const signed = (path: string, payload: object): Record<string, string> => {
    const ts = Math.floor(Date.now() / 1_000);
    const { hash } = acSignature.sign5({ path, payload, ts, ...ACCESS });
    const values = { accesskey: ACCESS.accessKey, rts: String(ts), hash, version: '5' };
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [`x-service-${name}`, value]));
  };

  /** Each example of a response has the members of the actual one, with values of the same kinds. */
  const compare = (name: string, answer: unknown): void => {
    if (!(name in recorded)) return;
    if (process.env.RECORD_EXAMPLES) recorded[name] = recorder.record(answer);
    expect(shapeOf(recorded[name])).toEqual(shapeOf(answer));
  };

  /** What the next examples need of an answer. */
  const follow = async (name: string, answer: Body): Promise<void> => {
    if (name === 'post /v4/requestCode') secrets['post /v4/token'] = { code: answer.code };
    if (name === 'post /v5/s3/createUpload') await put((answer.processed as ProcessedItem[])[0] as ProcessedItem);
  };

  it.each(examples.map((example) => [example.name, example] as const))('%s is answered as documented', async (name, { status, body }) => {
    const sent = body && { ...body, ...secrets[name] };
    const headers = headersOf(name, sent ?? {});
    const isPublic = Object.keys(headers).length > 0 || /^post \/v4\/(introspect|revoke|token)|^post \/v5\/dropsite\//.test(name);
    const method = name.split(' ')[0]?.toUpperCase();
    // Its content is compared with the document by test/support/documents/compare-answers.ts, as every answer is.
    const answer = await call(`${app.url}${pathOf(name)}${FINDS[name] ?? ''}`, {
      method,
      token: isPublic ? null : token,
      body: sent,
      headers,
    });
    expect({ status: answer.status, refusal: answer.status < 400 ? null : answer.body }).toEqual({ status, refusal: null });
    compare(name, answer.body);
    await follow(name, answer.body);
  });

  it('is there for each recorded response', () => {
    expect(Object.keys(recorded).filter((name) => !examples.some((example) => example.name === name))).toEqual([]);
  });
});

/** What a form of the documents sends without a change: the examples of the path, of the required parameters and of the body. */
function unchanged({ path, parameters = [] }: { path: string; parameters?: unknown[] }): string {
  const shown = (parameters as { name: string; in: string; required?: boolean; schema?: { examples?: unknown[] } }[]).map((parameter) => ({
    ...parameter,
    value: encodeURIComponent(String(parameter.schema?.examples?.[0] ?? '')),
  }));
  const query = shown.filter((parameter) => parameter.in === 'query' && parameter.required).map(({ name, value }) => `${name}=${value}`);
  const inPath = (_: string, name: string) => shown.find((parameter) => parameter.in === 'path' && parameter.name === name)?.value ?? '';
  return `${path.replaceAll(/\{(\w+)\}/g, inPath)}?${query.join('&')}`;
}

describe('in a new installation, an example', () => {
  let storage: TestStorage;
  let app: TestApp;
  let token: string;

  beforeAll(async () => {
    storage = await startTestStorage();
    app = await startTestApp({ ...storage.settings, worker: 'inline' });
    ignoreMissingPrograms(app);
    token = await tokenOf(app, await aUser(app, { adminLevel: 10 }));
  });
  afterAll(async () => {
    await app?.close();
    await storage?.close();
  });

  const operations = Object.entries(paths)
    .filter(([path]) => /^\/v[45]\//.test(path))
    .flatMap(([path, item]) =>
      (['post', 'get', 'put', 'delete'] as const).flatMap((method) => {
        const operation = item[method];
        return operation ? [{ name: `${method} ${path}`, method, path, operation }] : [];
      }),
    );

  it.each(operations)('of $name works, or the operation says what it needs', async ({ name, method, path, operation }) => {
    const { description = '', parameters } = operation;
    const body = examples.find((example) => example.name === name)?.body;
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    const sent = { method: method.toUpperCase(), headers, body: body && JSON.stringify(body), redirect: 'manual' as const };
    const answer = await fetch(`${app.url}${unchanged({ path, parameters })}`, sent);
    const works = answer.status < 400 || (answer.status < 500 && description.includes('The example needs '));
    expect({ works, answer: works ? null : await answer.text() }).toEqual({ works: true, answer: null });
  });
});
