import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { authorizeUrl, pkce, postToken, signIn } from '../accounts/scenario.js';
import { TestBrowser } from '../browser/browser.js';
import { aFormat, type FormatBody, listFormats } from '../converter/formats.js';
import { transcode } from '../converter/transcoding.js';
import { put, senderOf } from '../delivery/dropsites.js';
import { eventually } from '../eventually.js';
import type { UploadedMedia } from '../media/media.js';
import { type Answer, aFile, call, type ProcessedItem, type UploadDocument } from '../media/uploads.js';
import { subscriptionsOf } from '../subscriptions/subscriptions.js';
import type { WebhookReceiver } from '../subscriptions/webhook-receiver.js';
import { isSignedIn } from './demo-login.js';

const REDIRECT_URI = 'http://127.0.0.1:8080/callback';
const CLIENT_ID = 'demo';
/** A conversion waits for a worker's turn, a webhook for its run: both take about a second. */
const MAX_WAIT_MS = 60_000;

/** One process of the service, started with `npm start`; several may share PUBLIC_URL, database and DATA_DIR. */
export interface SmokeProcess {
  /** Where this very process listens. */
  readonly url: string;
  readonly publicUrl: string;
  readonly login: { readonly email: string; readonly password: string };
}

/** What smoke requests made of each kind, so that this and other processes can be asked for it. */
export interface SmokeObjects {
  readonly browser: TestBrowser;
  readonly accessToken: string;
  refreshToken: string;
  readonly content: string;
  readonly media: UploadedMedia;
  readonly uploadJobId: string;
  readonly format: FormatBody;
  readonly transcodingJobId: string;
  readonly configurationId: number;
  readonly embedLink: string;
  readonly subscriptionId: number;
  readonly dropsite: { readonly id: number; readonly link: string };
  readonly droppedContainerId: number;
  readonly downloadLink: { readonly id: number; readonly link: string };
}

/** Makes something of every kind by requests to one process. The operator offers the tool `capitals`; the receiver is allowed to be called. */
export async function makeSmokeObjects(at: SmokeProcess, receiver: WebhookReceiver): Promise<SmokeObjects> {
  const { browser, accessToken: token, refreshToken } = await signInAt(at);
  const post = async <Body>(path: string, body: object) => await ok(call<Body>(`${at.url}/v5/${path}`, { token, body }));

  const path = `/${randomUUID()}`;
  const instructions = [{ type: 'https', url: `${receiver.origin()}${path}` }];
  const { id: subscriptionId } = await subscriptionsOf(at, token).made({ instructions });

  const content = `a letter ${randomUUID()}`;
  const { media, jobId: uploadJobId } = await upload(at, token, content);
  await eventually(() => receiver.requests.some((request) => request.path === path), MAX_WAIT_MS);

  const settings = { mediaTypes: ['document'], filetype: 'txt', parameters: { tool: 'capitals' } };
  const format = await aFormat(at, token, { blueprint: 'Tool of the operator', name: content, settings });
  const transcodingJobId = (await ok(transcode(at, token, { id: media.id, formatIds: [format.id] }))).jobs[0]?.jobId ?? '';
  const original = (await listFormats(at, token, '?mediaType=document')).find(({ name }) => name === 'Original document')?.id;
  const formats = [{ formatId: original, downloadable: true }, { formatId: format.id }];
  const configuration = { name: content, type: 'document', templateId: 0, formats };
  const { id: configurationId } = await post<{ id: number }>('playerconfiguration', configuration);
  const { link: embedLink } = await post<{ link: string }>(`embedlink/${media.id}`, { playerConfigurationId: configurationId });

  const dropsite = await post<SmokeObjects['dropsite']>('dropsite', { name: content });
  const droppedContainerId = await drop(at, dropsite.link);
  const shared = { mediaContainerIds: [media.id], formatIds: [original], title: content };
  const downloadLink = await post<SmokeObjects['downloadLink']>('downloadlink', shared);
  return {
    ...{ browser, accessToken: token, refreshToken, content, media, uploadJobId, format, transcodingJobId, configurationId },
    ...{ embedLink, subscriptionId, dropsite, droppedContainerId, downloadLink },
  };
}

/** Asks a process for everything that smoke requests to this or another process made, and continues the sign-in by its refresh token. */
export async function expectSmokeObjects(at: SmokeProcess, made: SmokeObjects): Promise<void> {
  const { accessToken: token, content, media, format } = made;
  const get = async <Body = Record<string, unknown>>(path: string) => await ok(call<Body>(`${at.url}/v5/${path}`, { token }));

  expect(await isSignedIn(browserAt(at, made.browser))).toBe(true);
  const form = { grant_type: 'refresh_token', client_id: CLIENT_ID, refresh_token: made.refreshToken };
  const refreshed = await postToken(at.url, form);
  expect(refreshed.status).toBe(200);
  made.refreshToken = refreshed.body.refresh_token;
  const introspected = await fetch(`${at.url}/v4/introspect`, {
    method: 'POST',
    body: new URLSearchParams({ token, client_id: CLIENT_ID }),
  });
  expect(await introspected.json()).toMatchObject({ active: true, iss: at.publicUrl });

  expect(await get<UploadDocument>(`activity/jobResult/${made.uploadJobId}`)).toMatchObject({ processed: [{ id: media.id }] });
  await eventually(async () => 'mediaId' in (await get(`activity/jobResult/${made.transcodingJobId}`)), MAX_WAIT_MS);
  const container = await get<{ media: Record<string, unknown>[] }>(`mediacontainer/${media.id}`);
  expect(container.media).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: media.mediaId, status: 'successful' }),
      expect.objectContaining({ formatId: format.id, status: 'successful' }),
    ]),
  );
  expect(await get(`format/${format.id}`)).toMatchObject({ name: content });
  expect(await get(`playerconfiguration/${made.configurationId}`)).toMatchObject({ name: content });
  expect(await get(`subscriptions/${made.subscriptionId}`)).toMatchObject({ lastExecutedStatus: 204 });
  expect(await get(`dropsite/${made.dropsite.id}`)).toMatchObject({ name: content });
  expect(await get(`mediacontainer/${made.droppedContainerId}`)).toMatchObject({ media: [{ status: 'successful' }] });
  await drop(at, made.dropsite.link);

  const file = async (query: string) => await (await fetch(`${at.url}/v5/deliverFile/${made.embedLink}${query}`)).text();
  expect(await file('')).toBe(content);
  expect(await file(`?formatId=${format.id}`)).toBe(content.toUpperCase());
  const page = async (path: string) => {
    const response = await fetch(`${at.url}${path}`, { headers: { accept: 'text/html' } });
    expect(response.status).toBe(200);
    return await response.text();
  };
  await page(`/v5/deliverEmbed/${made.embedLink}`);
  expect(await page(`/l/${made.downloadLink.link}`)).toContain(content);
  await page(`/d/${made.dropsite.link}`);
}

/** A browser at this process with the cookies of another one. */
const browserAt = (at: SmokeProcess, browser: TestBrowser): TestBrowser => {
  const here = new TestBrowser(at.publicUrl, {}, at.url);
  here.takeCookies(browser);
  return here;
};

async function signInAt(at: SmokeProcess) {
  const browser = new TestBrowser(at.publicUrl, {}, at.url);
  const { verifier, challenge } = pkce();
  const asked = { client_id: CLIENT_ID, redirect_uri: REDIRECT_URI, scope: 'api offline_access' };
  const query = { ...asked, code_challenge: challenge, code_challenge_method: 'S256' };
  const target = await signIn(browser, authorizeUrl(at.publicUrl, query), at.login, { password: at.login.password });
  const code = target.searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', client_id: CLIENT_ID, redirect_uri: REDIRECT_URI };
  const { status, body } = await postToken(at.url, { ...grant, code, code_verifier: verifier });
  if (status !== 200) throw new Error(`The exchange failed: ${JSON.stringify(body)}`);
  return { browser, accessToken: body.access_token, refreshToken: body.refresh_token };
}

/** createUpload, the upload, success and uploadComplete, each of them at this process. */
export async function upload(at: Pick<SmokeProcess, 'url'>, token: string, content: string) {
  const post = async <Body>(path: string, body: object) => await ok(call<Body>(`${at.url}/v5/s3/${path}`, { token, body }));
  const payload = [aFile({ type: 'document', fileName: 'letter.txt', originalFileExtension: 'txt', fileSize: content.length })];
  const { processed, jobId, uploadId } = await post<UploadDocument>('createUpload', { payload });
  const { id, mediaId, bucket, s3Key } = processed[0] as ProcessedItem;
  await put(processed[0] as ProcessedItem, content);
  await post('success', { bucket, key: s3Key });
  await post('uploadComplete', { uploadId });
  return { media: { id, mediaId, s3Key }, jobId };
}

/** A sender's upload at a dropsite; answers the container. */
async function drop(at: SmokeProcess, link: string): Promise<number> {
  const sender = senderOf(at, link);
  const { access_token: token } = await sender.session();
  const { processed, uploadId } = await ok(sender.create({}, { token }));
  const item = processed[0] as ProcessedItem;
  await put(item);
  await ok(sender.succeed(item, { token }));
  await ok(sender.complete(uploadId, { token }));
  return item.id;
}

async function ok<Body>(answer: Promise<Answer<Body>>): Promise<Body> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}
