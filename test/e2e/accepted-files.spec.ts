import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListObjectVersionsCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { InspectionsService } from '../../src/modules/converter/inspection/inspections.service.js';
import { MediaRemovalService } from '../../src/modules/media/index.js';
import { UploadReaperJob } from '../../src/modules/uploads/index.js';
import { Clock } from '../../src/shared/clock.js';
import { Database } from '../../src/shared/database/index.js';
import { ReadyDetailsService } from '../../src/shared/health/ready-details.service.js';
import { ObjectStorage, StorageHealthService } from '../../src/shared/storage/index.js';
import { adminProgram } from '../support/app/admin.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { deliverFile } from '../support/browser/embedded-media.js';
import { capturedLog } from '../support/captured-log.js';
import { aDropsite, put, senderOf } from '../support/delivery/dropsites.js';
import { aPublisher, originalOf, type Publisher } from '../support/delivery/player-configurations.js';
import { eventually } from '../support/eventually.js';
import { aFile, call, clientFor, type ProcessedItem } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

const DAY_MS = 86_400_000;

/** A service whose bucket keeps versions, or not, and whose clock can be moved. */
class Stage {
  storage: TestStorage;
  app: TestApp;
  client: S3Client;
  offsetMs = 0;

  async start(versions: boolean): Promise<void> {
    this.storage = await startTestStorage({ versions });
    this.app = await startTestApp(this.storage.settings);
    this.app.app.get(Clock).now = () => this.now();
    const { endpoint, region, key: credentials } = this.storage.address;
    this.client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  }

  async stop(): Promise<void> {
    this.client.destroy();
    await this.app.close();
    await this.storage.close();
  }

  /** A file that a sender without an account delivered, and whose success was reported. */
  async accept(content: string, file: object = {}, send: (item: ProcessedItem, content: string) => Promise<unknown> = put) {
    const { dropsite, owner, token } = await aDropsite(this.app);
    const sender = senderOf(this.app, dropsite.link);
    const as = { headers: { clientid: dropsite.clientId } };
    const payload = [aFile({ ...file, fileSize: content.length })];
    const { body: prepared } = await sender.create({ payload }, as);
    const item = prepared.processed[0] as ProcessedItem;
    await send(item, content);
    expect((await sender.succeed(item, as)).status).toBe(200);
    return { item, owner, token, sender, as, prepared, payload };
  }

  /** A link that delivers the original. */
  async publish({ owner, token, item }: { owner: Publisher['user']; token: string; item: ProcessedItem }, security: object = {}) {
    const type = String(item.type);
    const formatId = await originalOf(this.app, owner, type as 'image');
    const fields = { name: 'Site', type, templateId: 1, formats: [{ formatId, downloadable: true }], ...security };
    const { body: configuration } = await call<{ id: number }>(`${this.app.url}/v5/playerconfiguration`, { token, body: fields });
    const embed = { playerConfigurationId: configuration.id };
    const { body } = await call<{ link: string }>(`${this.app.url}/v5/embedlink/${item.id}`, { token, body: embed });
    return { link: body.link, formatId };
  }

  /** What a viewer gets, or the status and code of the refusal. */
  async fetch(link: string): Promise<string> {
    const { status, code, headers, text } = await deliverFile(this.app.url, link);
    if (status === 302) return await (await fetch(String(headers.location))).text();
    return status === 200 ? text : `${status} ${code}`;
  }

  async versions(prefix: string): Promise<number> {
    const list = new ListObjectVersionsCommand({ Bucket: this.storage.address.bucket, Prefix: prefix });
    const { Versions = [], DeleteMarkers = [] } = await this.client.send(list);
    return Versions.length + DeleteMarkers.length;
  }

  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }
}

async function putInParts(item: ProcessedItem, Body: string): Promise<void> {
  const client = clientFor(item);
  const where = { Bucket: item.bucket, Key: item.s3Key };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(where));
  const { ETag } = await client.send(new UploadPartCommand({ ...where, UploadId, PartNumber: 1, Body }));
  await client.send(new CompleteMultipartUploadCommand({ ...where, UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }));
}

const throttled = {
  securitySettings: { authOnly: false, bandwidthControl: [{ cidr: '127.0.0.0/8', type: 'bandwidth', limit: 8_000_000 }] },
};

describe('in a bucket that keeps versions, a file that was overwritten after its success', () => {
  const stage = new Stage();
  beforeAll(async () => await stage.start(true));
  afterAll(async () => await stage.stop());
  beforeEach(() => {
    stage.offsetMs = 0;
  });

  it.each([
    ['whole', put],
    ['in parts', putInParts],
  ])('is delivered as it was accepted (%s): by link, through the service, for saving', async (_, send) => {
    const upload = await stage.accept('accepted', {}, send);
    const { link, formatId } = await stage.publish(upload);
    const { link: slow } = await stage.publish(upload, throttled);
    await put(upload.item, 'something else'); // the credentials live on
    await putInParts(upload.item, 'and else');
    expect([await stage.fetch(link), await stage.fetch(slow)]).toEqual(['accepted', 'accepted']);
    const { headers } = await deliverFile(stage.app.url, link, { query: { download: true } });
    expect(await (await fetch(String(headers.location))).text()).toBe('accepted');
    const offer = { mediaContainerIds: [upload.item.id], formatIds: [formatId] };
    const { body } = await call<{ link: string }>(`${stage.app.url}/v5/downloadlink`, { token: upload.token, body: offer });
    expect(await (await fetch(`${stage.app.url}/l/${body.link}/${upload.item.mediaId}`)).text()).toBe('accepted');
  });

  it('has the subtitles that were accepted', async () => {
    const cue = (text: string) => `WEBVTT\n\n00:01.000 --> 00:02.000\n${text}\n`;
    const upload = await stage.accept(cue('Hello'), { type: 'document', fileName: 'en.vtt', originalFileExtension: 'vtt' });
    const { link } = await stage.publish(upload);
    await put(upload.item, cue('Buy now'));
    await stage.app.app.get(InspectionsService, { strict: false }).inspect(upload.item.mediaId);
    const text = await (await fetch(`${stage.app.url}/v5/deliverEmbed/${link}/subtitles/${upload.item.mediaId}.vtt`)).text();
    expect([text.includes('Hello'), text.includes('Buy now')]).toEqual([true, false]);
  });

  it('gets no new credentials, by repeating the request or separately', async () => {
    const { dropsite } = await aDropsite(stage.app);
    const sender = senderOf(stage.app, dropsite.link);
    const as = { headers: { clientid: dropsite.clientId } };
    const payload = [aFile({ fileName: 'a.jpg' }), aFile({ fileName: 'b.jpg' })];
    const { body: prepared } = await sender.create({ payload }, as);
    const [first, second] = prepared.processed as [ProcessedItem, ProcessedItem];
    await put(first);
    await sender.succeed(first, as);
    const { status, body: again } = await sender.create({ payload, uploadId: prepared.uploadId }, as);
    expect(status).toBe(200);
    expect(again.processed.map(({ s3Key, credentials }) => [s3Key, credentials !== undefined])).toEqual([
      [first.s3Key, false],
      [second.s3Key, true],
    ]);
    const renewed = again.processed[1] as ProcessedItem;
    await put(renewed);
    await expect(put({ ...first, credentials: renewed.credentials })).rejects.toMatchObject({ name: 'AccessDenied' });
    await sender.succeed(second, as);
    const { status: last, body: whole } = await sender.create({ payload, uploadId: prepared.uploadId }, as);
    expect([last, whole.processed.map(({ credentials }) => credentials)]).toEqual([200, [undefined, undefined]]);
  });

  it('gets no credentials again by its id', async () => {
    const { token } = await aPublisher(stage.app);
    const { body } = await call<{ processed: ProcessedItem[] }>(`${stage.app.url}/v5/s3/createUpload`, {
      token,
      body: { payload: [aFile()] },
    });
    const item = body.processed[0] as ProcessedItem;
    const renew = async () => (await call(`${stage.app.url}/v5/s3/getUploadCredentials/${item.mediaId}`, { token })).status;
    expect(await renew()).toBe(200);
    await put(item);
    await call(`${stage.app.url}/v5/s3/success`, { token, body: { bucket: item.bucket, key: item.s3Key } });
    expect(await renew()).toBe(409);
  });

  it('loses newer versions when its credentials have expired, and keeps the accepted one', async () => {
    const upload = await stage.accept('accepted');
    await upload.sender.complete(upload.prepared.uploadId, upload.as);
    const { link } = await stage.publish(upload);
    for (const content of ['two', 'three']) await put(upload.item, content);
    expect(await stage.versions(upload.item.s3Key)).toBe(3);
    stage.offsetMs = 2 * DAY_MS;
    await stage.app.app.get(UploadReaperJob).reap(stage.now());
    expect([await stage.versions(upload.item.s3Key), await stage.fetch(link)]).toEqual([1, 'accepted']);
  });

  it('loses no version in a copy of the bucket, where the accepted one has another name', async () => {
    const upload = await stage.accept('accepted');
    await upload.sender.complete(upload.prepared.uploadId, upload.as);
    const { link } = await stage.publish(upload);
    const sql = `UPDATE media_items SET version = 'of the first bucket' WHERE id = $1`;
    await stage.app.app.get(Database).query(sql, [upload.item.mediaId]);
    stage.offsetMs = 2 * DAY_MS;
    await stage.app.app.get(UploadReaperJob).reap(stage.now());
    expect(await stage.versions(upload.item.s3Key)).toBe(1);
    await adminProgram(stage.app, ['uploads', 'reconcile', '--mend']);
    expect(await stage.fetch(link)).toBe('accepted');
  });

  it('is deleted with all of its versions', async () => {
    const upload = await stage.accept('accepted');
    for (const content of ['two', 'three']) await put(upload.item, content);
    await stage.app.app.get(MediaRemovalService).remove({ containerId: upload.item.id });
    expect(await stage.versions(upload.item.s3Key)).toBe(0);
  });
});

describe('in a bucket without versions, a file that was overwritten after its success', () => {
  const stage = new Stage();
  beforeAll(async () => await stage.start(false));
  afterAll(async () => await stage.stop());

  it('is delivered no more, in no way', async () => {
    const upload = await stage.accept('accepted');
    const { link, formatId } = await stage.publish(upload);
    const { link: slow } = await stage.publish(upload, throttled);
    const offer = { mediaContainerIds: [upload.item.id], formatIds: [formatId] };
    const { body } = await call<{ link: string }>(`${stage.app.url}/v5/downloadlink`, { token: upload.token, body: offer });
    expect([await stage.fetch(link), await stage.fetch(slow)]).toEqual(['accepted', 'accepted']);
    await put(upload.item, 'replaced');
    stage.offsetMs += 61_000; // the storage was asked a moment ago
    expect([await stage.fetch(link), await stage.fetch(slow)]).toEqual(['409 object_changed', '409 object_changed']);
    const saved = await fetch(`${stage.app.url}/l/${body.link}/${upload.item.mediaId}`, { redirect: 'manual' });
    const page = await fetch(`${stage.app.url}/l/${body.link}`);
    expect([saved.status, page.status]).toEqual([409, 200]);
  });

  it('causes a warning that only the operator sees', async () => {
    const ready = async (headers: Record<string, string> = {}) =>
      (await call<{ status: string; warnings?: string[]; details?: unknown }>(`${stage.app.url}/health/ready`, { headers })).body;
    await eventually(async () => (await ready()).warnings); // a busy machine may not ask the storage in time
    const { status, warnings, details } = await ready();
    expect([status, warnings]).toEqual(['ok', [expect.stringMatching(/^The bucket media keeps no versions: enable its versioning/)]]);
    expect(details).toMatchObject({ storage: { versions: 'never', readable: true } });
    expect(await ready({ 'x-forwarded-for': '203.0.113.7' })).toEqual({ status: 'ok' }); // a proxy stands between
    const { log, lines } = capturedLog();
    const health = new StorageHealthService(new ReadyDetailsService(log), stage.app.app.get(ObjectStorage), log);
    await health.warn();
    expect(lines).toMatchObject([{ level: 40, versions: 'never', msg: warnings?.[0] }]);
    const { printed, failures } = await adminProgram<{ versioning: string; warnings: string[] }>(stage.app, ['check', 'storage']);
    expect([failures, printed.versioning, printed.warnings]).toEqual([[], 'never', warnings]);
  });

  it('is asked for once a minute, however often it is delivered', async () => {
    const upload = await stage.accept('accepted');
    const { link } = await stage.publish(upload);
    expect(await stage.fetch(link)).toBe('accepted');
    await stage.storage.stop();
    const answers = await Promise.all(Array.from({ length: 5 }, async () => (await deliverFile(stage.app.url, link)).status));
    await stage.storage.start();
    expect(answers).toEqual([302, 302, 302, 302, 302]);
  });
});
