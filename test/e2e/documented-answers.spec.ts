import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountsService, User } from '../../src/modules/accounts/index.js';
import { CountingService } from '../../src/shared/counting/index.js';
import { Database } from '../../src/shared/database/index.js';
import { anIdentityProvider, declareProviders } from '../support/accounts/identity-provider.js';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { applyDocument } from '../support/app/admin.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { aFormat } from '../support/converter/formats.js';
import { aTranscoding } from '../support/converter/shown-transcoding.js';
import { addColumnToEveryEntity, EXTRA_VALUE, extraValueOf } from '../support/database/extra-columns.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { aDropsite, put } from '../support/delivery/dropsites.js';
import { anEmbed } from '../support/delivery/embeds.js';
import { aFormat as aPreviewFormat, aPublisher } from '../support/delivery/player-configurations.js';
import { DocumentedAnswers } from '../support/documents/documented-answers.js';
import { uploadMedia } from '../support/media/media.js';
import { aRung } from '../support/media/streaming.js';
import { aFile, type ProcessedItem, tokenOf } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';
import { aSubscriptionInput } from '../support/subscriptions/subscriptions.js';

type Body = Record<string, unknown> & { readonly id: number; readonly link: string };

describe('the answers of the service', () => {
  const documented = new DocumentedAnswers();
  const differences: string[] = [];
  /** Calls whose answer shows a column that no answer lists. */
  const leaks: string[] = [];
  let storage: TestStorage;
  let database: TestDatabase;
  let removeColumns: () => void;
  let app: TestApp;
  let token: string;

  beforeAll(async () => {
    storage = await startTestStorage();
    database = await createTestDatabase();
    removeColumns = await addColumnToEveryEntity(database.url);
    app = await startTestApp({ ...storage.settings, database });
    token = await tokenOf(app, await aUser(app, { adminLevel: 9 }));
  });
  afterAll(async () => {
    removeColumns?.();
    await app?.close();
    await database?.drop();
    await storage?.close();
  });

  const compare = async (method: string, path: string, response: Response, answers = documented) =>
    answers.differences({
      ...{ method, path: path.split('?', 1)[0] ?? '', status: response.status },
      ...{ headers: Object.fromEntries(response.headers), body: await response.text() },
    });

  /** One call, compared with the document. */
  const ask = async <Answer = Body>(
    operation: string,
    { body, as = token, headers = {} }: { body?: object; as?: string | null; headers?: Record<string, string> } = {},
  ) => {
    const [method = '', path = ''] = operation.split(' ');
    const response = await fetch(`${app.url}${path}`, {
      method: method.toUpperCase(),
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...(as && { authorization: `Bearer ${as}` }),
        ...headers,
      },
      body: body && JSON.stringify(body),
    });
    differences.push(...(await compare(method, path, response.clone())));
    if ((await response.clone().text()).includes(EXTRA_VALUE)) leaks.push(operation);
    return (response.headers.get('content-type')?.includes('json') ? await response.json() : {}) as Answer;
  };

  /** An entry of the log, as a run leaves it. */
  const logAttempt = async (subscriptionId: number) => {
    const sql = `INSERT INTO subscription_logs (subscription_id, run_id, instruction, message_id, attempt, type, status_code, duration_ms)
      VALUES ($1, 1, 0, 'msg_1', 1, 'https', 204, 12)`;
    await app.app.get(Database).query(sql, [subscriptionId]);
  };

  it('would be found to differ by a member, a type, a status or a content type', async () => {
    const customer = { id: 1, name: 'Newsroom', burnTimecode: null, supportAccessUntil: null, requireSecondFactor: false };
    const find = async (body: object, init: ResponseInit = {}) =>
      await compare('get', '/v5/customer', Response.json(body, init), new DocumentedAnswers());
    expect(await find(customer)).toEqual([]);
    expect(await find({ ...customer, secret: 'x' })).toEqual([expect.stringContaining('"additionalProperty":"secret"')]);
    expect(await find({ ...customer, id: 'one' })).toEqual([expect.stringContaining('/id: must be integer')]);
    expect(await find({ ...customer, burnTimecode: { box: 7 } })).toContainEqual(
      expect.stringContaining('/burnTimecode/box: must be equal to one'),
    );
    expect(await find(customer, { status: 418 })).toEqual([expect.stringContaining('get /v5/customer: no status 418')]);
    expect(await find(customer, { headers: { 'content-type': 'text/plain' } })).toEqual([
      expect.stringContaining('get /v5/customer 200: no content type text/plain'),
    ]);
    expect(await find({}, { status: 401, headers: { 'content-type': 'application/problem+json' } })).toContain(
      'get /v5/customer 401: no header WWW-Authenticate',
    );
  });

  it('are those of the document: protocol, accounts and activity', async () => {
    const { clientId } = await aClient(app);
    for (const path of ['/v4/jwks', '/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
      await ask(`get ${path}`);
    for (const path of ['/health/live', '/health/ready', '/metrics']) await ask(`get ${path}`, { as: null });
    await ask('post /v4/introspect', { body: {} });
    await ask('post /v4/introspect', { body: { token: 'x' }, as: null });
    await ask('post /v4/token', { body: { grant_type: 'authorization_code', code: 'x', client_id: clientId }, as: null });
    await ask('post /v4/revoke', { body: { token: 'x', client_id: clientId }, as: null });
    await ask('post /v4/revoke', { body: { token: 'x', client_id: 'unknown' }, as: null });
    await ask('get /v4/authorize?client_id=unknown&response_type=code', { as: null });
    await ask(`get /v4/requestCode?client_id=${clientId}&state=x`);
    await ask('get /v4/apps');
    await ask('post /v4/deauthorize', { body: {} });
    await ask('post /v4/deauthorize', { body: { client_id: clientId } });
    await ask('delete /v4/apps/1');
    await ask('get /v5/customer');
    await ask('put /v5/customer', { body: { burnTimecode: { fontsize: '24', box: null } } });
    await ask('put /v5/customer', { body: { burnTimecode: null, supportAccessUntil: '2030-01-31T18:00:00Z' } });
    await ask('put /v5/customer', { body: { name: '' } });
    await ask('get /v5/customer', { as: null });
    await ask('get /v5/customer/usage');
    await applyDocument(app, { customers: [{ name: 'Acme' }] });
    const idp = await anIdentityProvider('Acme');
    await declareProviders(app, idp.entry);
    await ask(`get /v4/saml/${idp.ssoIdentifier}/metadata`, { as: null });
    await ask('get /v5/activity?limit=1');
    await ask(`get /v5/activity/jobResult/${randomUUID()}`);
    await ask(`delete /v5/activity/${randomUUID()}`);
    expect(differences).toEqual([]);
  });

  it('are those of the document: uploads, media and formats', async () => {
    const upload = await ask<{ jobId: string; uploadId: string; processed: ProcessedItem[] }>('post /v5/s3/createUpload', {
      body: { payload: [aFile({ metadata: [{ title: 'author', content: 'Ada', language: null }] }), { type: 'x' }] },
    });
    const [item] = upload.processed;
    if (!item) throw new Error('Nothing was prepared.');
    await ask(`get /v5/activity/jobResult/${upload.jobId}`);
    await ask(`get /v5/s3/getUploadCredentials/${item.mediaId}`);
    await put(item);
    await ask('post /v5/s3/success', { body: { bucket: item.bucket, key: item.s3Key } });
    await ask('post /v5/s3/uploadComplete', { body: { uploadId: upload.uploadId } });
    await ask('post /v5/s3/createUpload', { body: { payload: [] } });
    const { id, mediaId } = await uploadMedia(app, token, { type: 'video', fileName: 'film.mp4', originalFileExtension: 'mp4' });
    await ask('get /v5/mediacontainer');
    await ask('get /v5/mediacontainer/facets');
    await ask(`put /v5/mediacontainer/${id}`, {
      body: { license: { name: 'Rights managed', types: ['web'] }, metadata: [{ title: 'a', content: 'b' }] },
    });
    await ask(`get /v5/mediacontainer/${id}`);
    await ask(`get /v5/mediacontainer/${id}/media/${mediaId}`);
    await ask(`get /v5/mediacontainer/${id}/media/${mediaId}/url`);
    await ask(`post /v5/mediacontainer/${id}/releaseRequest`, { body: {} });
    await ask('get /v5/format');
    const { id: formatId } = await aFormat(app, token);
    for (const path of [`format/${formatId}`, `format/${formatId}/explain`, `format/${formatId}/metadataPreview?mediaContainerId=${id}`]) {
      await ask(`get /v5/${path}`);
    }
    await ask(`put /v5/format/${formatId}`, { body: { name: 'Ours', settings: { parameters: { crf: 20 }, testMode: { seconds: 3 } } } });
    const { jobs } = await ask<{ jobs: { jobId: string }[] }>(`post /v5/mediacontainer/${id}/transcode`, {
      body: { formatIds: [formatId] },
    });
    await ask(`get /v5/activity/jobResult/${jobs[0]?.jobId}`);
    await ask(`delete /v5/activity/${jobs[0]?.jobId}`);
    await ask(`get /v5/activity/jobResult/${jobs[0]?.jobId}`);
    const { jobId } = await ask<{ jobId: string }>(`delete /v5/format/${formatId}`);
    await ask(`get /v5/activity/jobResult/${jobId}`);
    await ask('get /v5/activity');
    await ask(`delete /v5/mediacontainer/${id}`);
    expect(differences).toEqual([]);
  });

  /** A link to a film with a streaming rendition and a storyboard. */
  const aFilm = async () =>
    await anEmbed(app, await aPublisher(app), {
      type: 'video',
      original: { fileName: 'film.mov', content: 'original' },
      beside: [{ fileName: 'film', fileExtension: 'vtt', content: 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n', language: 'en' }],
      renditions: {
        Film: aRung({ height: 360 }),
        Board: {
          ...{ fileName: 'film', fileExtension: 'jpg', content: 'tiles', width: 320, height: 90, duration: 20 },
          storyboard: { intervalSeconds: 10, pictures: 2, columns: 2, rows: 1 },
          format: { usage: 'preview' },
        },
      },
    });

  it('are those of the document: administration', async () => {
    const customer = 'Newsroom';
    const admin = await aUser(app, { adminLevel: 9, customer });
    const as = await tokenOf(app, admin, 'api openid profile email');
    await ask('get /v4/userinfo', { as });
    await ask('post /v4/userinfo', { as });
    const user = await aUser(app, { customer });
    await obtainTokens(app, { user, client: await aClient(app) });
    await ask('get /v5/user', { as });
    await ask(`get /v5/user/${user.id}`, { as });
    await ask(`get /v5/user/${user.id}/sessions`, { as });
    await ask(`delete /v5/user/${user.id}/sessions`, { as });
    await ask(`post /v5/user/${user.id}/disable`, { as });
    await ask('post /v5/user', { as, body: { email: 'grace@example.org', firstname: 'Grace', lastname: 'Hopper' } });
    const key = await ask('post /v5/accessKey', { as, body: { userId: admin.id } });
    await ask('get /v5/accessKey', { as });
    await ask(`get /v5/accessKey/${key.id}`, { as });
    const redirectUris = ['https://app.example.org/callback'];
    const client = await ask('post /v5/client', {
      as,
      body: { clientId: 'newsroom-app', name: 'App', type: 'web', redirectUris, confidential: true },
    });
    await ask('get /v5/client', { as });
    await ask(`get /v5/client/${client.id}`, { as });
    await ask(`post /v5/client/${client.id}/rotateSecret`, { as, body: {} });
    await declareProviders(app, (await anIdentityProvider(customer)).entry);
    const [provider] = await ask<{ id: number }[]>('get /v5/identityProvider', { as });
    await ask(`get /v5/identityProvider/${provider?.id}`, { as });
    await ask('get /v5/audit', { as });
    await ask(`post /v5/user/${user.id}/enable`, { as });
    await ask(`post /v5/user/${user.id}/resetSecondFactor`, { as });
    const operator = await aUser(app, { adminLevel: 100, customer: 'Operator' });
    await app.app.get(AccountsService).declareCustomer({ name: 'Operator', operator: true });
    const asOperator = await tokenOf(app, operator);
    const made = await ask('post /v5/customers', { as: asOperator, body: { name: 'Radio' } });
    await ask('get /v5/customers', { as: asOperator });
    await ask(`get /v5/customers/${made.id}`, { as: asOperator });
    await ask(`put /v5/customers/${made.id}`, { as: asOperator, body: { requireSecondFactor: true } });
    await ask(`get /v5/customer/usage?customerId=${made.id}`, { as: asOperator });
    await ask('get /v5/customers', { as });
    expect(differences).toEqual([]);
  });

  it('are those of the document: delivery', async () => {
    const { id } = await uploadMedia(app, token);
    const formats = await ask<{ id: number; name: string; converter: string; settings: { mediaTypes: string[] } }[]>('get /v5/format');
    const original = formats.find(({ converter, settings }) => converter === 'original' && settings.mediaTypes.includes('image'));
    const given = { name: 'Website', type: 'image', templateId: 1, formats: [{ formatId: original?.id, downloadable: true }] };
    const configuration = await ask('post /v5/playerconfiguration', { body: given });
    const at = `/v5/playerconfiguration/${configuration.id}`;
    await ask(`put ${at}`, { body: { formats: given.formats, settings: { providerName: 'Us' }, securitySettings: { authOnly: false } } });
    await ask(`get ${at}?showCountEmbeds=true`);
    await ask(`get ${at}`, { headers: { 'if-none-match': `"${configuration.id}-2"` } });
    await ask('get /v5/playerconfiguration?showFormats=true');
    await ask(`post ${at}/explain`, { body: { ip: '203.0.113.7' } });
    const { link, id: linkId } = await ask(`post /v5/embedlink/${id}`, { body: { playerConfigurationId: configuration.id } });
    await ask(`post /v5/embedlink/${id}`, { body: { playerConfigurationId: configuration.id } });
    await ask(`get /v5/embedlink/${id}`);
    await ask('get /v5/embedlink?state=all');
    await ask(`get /v5/mediacontainer/${id}/retention`);
    for (const path of [`deliverEmbed/${link}`, `deliverEmbed/${link}/progress`, `deliverFile/${link}`, `deliverFile/${randomUUID()}`]) {
      await ask(`get /v5/${path}`, { as: null });
    }
    await ask(`post /v5/deliverEmbed/${link}/lease`, { as: null });
    await ask(`post /v5/deliverEmbed/${link}/plays`, {
      as: null,
      body: { play: 'x', event: 'begin', position: 0, watched: 0, seen: '0'.repeat(25) },
    });
    const film = await aFilm();
    const rung = film.mediaIds.Film;
    const [track, board] = [film.mediaIds['film.vtt'], film.mediaIds.Board];
    const playlists = ['master.m3u8', `media/${rung}.m3u8`, `media/${rung}.mp4`, 'media/999999.mp4'];
    for (const path of [
      ...playlists,
      'storyboard.vtt',
      `storyboard/${board}.jpg`,
      `subtitles/${track}.vtt`,
      'preview',
      'image?width=320',
    ]) {
      await ask(`get /v5/deliverEmbed/${film.link}/${path}`, { as: null });
    }
    await ask(`get /v5/oembed?url=${encodeURIComponent(`${app.url}/v5/deliverEmbed/${link}`)}`, { as: null });
    await ask(`get /v5/oembed?format=xml&url=${encodeURIComponent(`${app.url}/v5/deliverEmbed/${link}`)}`, { as: null });
    await app.app.get(CountingService).writeAll();
    await ask('get /v5/statistics?by=host');
    const download = await ask('post /v5/downloadlink', { body: { mediaContainerIds: [id], formatIds: [original?.id] } });
    await ask('get /v5/downloadlink');
    await ask(`get /v5/downloadlink/${download.id}`);
    await ask(`get /l/${download.link}/archive`, { as: null });
    await ask(`delete /v5/downloadlink/${download.id}`);
    await ask(`delete /v5/embedlink/${linkId}`);
    await ask(`delete ${at}?move=-1`);
    await ask('post /v5/extAuth', { body: { identifier: link, type: 'embedlink' } });
    expect(differences).toEqual([]);
  });

  it('are those of the document: dropsites and subscriptions', async () => {
    const { dropsite, owner: sendersHost, token: owner } = await aDropsite(app, { allowAnonymous: true });
    await ask(`get /v5/dropsite/${dropsite.id}`, { as: owner });
    await ask(`put /v5/dropsite/${dropsite.id}`, { as: owner, body: { description: 'Photos, please.' } });
    await ask('get /v5/dropsite', { as: owner });
    const { code, clientId } = await ask<{ code: string; clientId: string }>(`get /v5/dropsite/deliver/${dropsite.link}`, { as: null });
    const { access_token: session } = await ask<{ access_token: string }>(`post /v5/dropsite/${dropsite.link}/token`, {
      as: null,
      body: { code },
    });
    const headers = { clientid: clientId };
    const { uploadId, processed } = await ask<{ uploadId: string; processed: ProcessedItem[] }>('post /v5/dropsite/createUpload', {
      ...{ as: session, headers },
      body: { link: dropsite.link, payload: [aFile({ uuid: 'a' })] },
    });
    await ask('post /v5/dropsite/uploadStarted', {
      as: session,
      headers,
      body: { link: dropsite.link, uploadId, totalSize: 11, items: 1 },
    });
    const preview = await aPreviewFormat(app, sendersHost, { usage: 'preview' });
    await aTranscoding(app, { containerId: processed[0]?.id ?? 0, formatId: preview.id, progress: 42 });
    await ask(`get /v5/dropsite/${dropsite.link}/progress?uploadId=${uploadId}`, { as: null, headers });
    await ask('post /v5/s3/uploadComplete', { as: session, headers, body: { uploadId } });
    await ask(`delete /v5/dropsite/${dropsite.id}`, { as: owner });

    const subscription = await ask('post /v5/subscriptions', {
      body: aSubscriptionInput({ conditions: { payload: { mediaContainerId: 7 } } }),
    });
    await ask('get /v5/subscriptions?condition[path]=payload.mediaContainerId&condition[value]=7');
    await ask(`get /v5/subscriptions/${subscription.id}`);
    await ask(`put /v5/subscriptions/${subscription.id}`, { body: aSubscriptionInput({ notes: 'tells the shop' }) });
    await ask('post /v5/subscriptions/dryRun', { body: { event: { name: 'event:s3success', method: 'create' } } });
    await ask(`post /v5/subscriptions/${subscription.id}/replay`, { body: { logId: 1 } });
    await logAttempt(subscription.id);
    await ask(`get /v5/subscriptions/${subscription.id}`);
    await ask('post /v5/subscriptions/dropsiteUploadStarted', { body: {} });
    await ask(`delete /v5/subscriptions/${subscription.id}`);
    expect(differences).toEqual([]);
  });

  it('were compared for most operations, and for every GET with something to show', () => {
    expect(documented.seen.size).toBeGreaterThan(55);
    // The last two need a picture that was made, which may take longer than this test (deliver-picture-sizes.spec.ts).
    const redirects = ['get /v4/authorize', 'get /v5/deliverEmbed/{link}/image', 'get /v5/preview/{ticket}'];
    const unanswered = documented.operations('get').filter((operation) => !documented.answered.has(operation));
    expect(unanswered.filter((operation) => !redirects.includes(operation))).toEqual([]);
  });

  it('show only listed columns: an additional column of every entity is in none of them', async () => {
    const [user] = await app.app.get(Database).repository(User).find({ take: 1 });
    expect(extraValueOf(user ?? {})).toBe(EXTRA_VALUE);
    expect(leaks).toEqual([]);
  });
});
