import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TranscodingExecutionService } from '../../src/modules/converter/execution/transcoding-execution.service.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import type { TestContext } from '../support/app/test-context.js';
import { capturedLog } from '../support/captured-log.js';
import { upload } from '../support/converter/transcoding-stage.js';
import { put } from '../support/delivery/dropsites.js';
import { aFormat, aPublisher, type Publisher } from '../support/delivery/player-configurations.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { aFile, call, type UploadDocument } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';
import { subscriptionsOf } from '../support/subscriptions/subscriptions.js';
import { WebhookReceiver } from '../support/subscriptions/webhook-receiver.js';

interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly events?: readonly { readonly name: string }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

/** An OpenTelemetry collector, as far as the service knows it: OTLP over HTTP, as JSON. */
class Collector {
  readonly spans: CollectedSpan[] = [];
  readonly paths = new Set<string>();
  private readonly server: Server;

  constructor(private readonly answers = true) {
    this.server = createServer(async (request, response) => {
      this.paths.add(`${request.method} ${request.url}`);
      if (!this.answers) return;
      const body = (await json(request)) as { resourceSpans: { scopeSpans: { spans: CollectedSpan[] }[] }[] };
      this.spans.push(...body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}

const aTraceparent = () => ({ trace: randomBytes(16).toString('hex'), span: randomBytes(8).toString('hex') });
const attributesOf = ({ attributes }: CollectedSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

describe('a service with a collector', () => {
  const collector = new Collector();
  let storage: TestStorage;
  let receiver: WebhookReceiver;
  let app: TestApp;
  let publisher: Publisher;

  beforeAll(async () => {
    [storage, receiver] = [await startTestStorage(), await WebhookReceiver.start()];
    const traces = { otelExporterOtlpEndpoint: await collector.listen(), otelTracesSamplerArg: 0 };
    app = await startTestApp({ ...storage.settings, ...traces, worker: 'inline', egressAllowlist: ['127.0.0.1'] });
    const get: TestContext['get'] = (type) => app.app.get(type);
    app.app.get(TranscodingExecutionService).run = async (job) => await upload(job, { get } as TestContext);
    publisher = await aPublisher(app);
  });
  afterAll(async () => {
    await app?.close();
    await receiver?.close();
    await storage?.close();
    await collector.close();
  });

  const collected = async (trace: string, names: readonly string[]): Promise<CollectedSpan[]> => {
    const spans = () => collector.spans.filter(({ traceId }) => traceId === trace);
    await eventually(() => names.every((name) => spans().some((span) => span.name === name)));
    return spans();
  };

  it('sends one trace from the success of an upload to the webhook and the rendition', async () => {
    await aFormat(app, publisher.user, { converter: 'copy', settings: { mediaTypes: ['image'], autoGenerate: ['image'] } });
    const hook = (name: string) => ({ name, instructions: [{ type: 'https', url: `${receiver.origin()}/hook?key=secret-of-the-hook` }] });
    const mine = subscriptionsOf(app, publisher.token);
    await mine.made(hook('event:s3success'));
    await mine.made(hook('event:transcoderJobComplete'));
    const { body } = await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, {
      ...{ token: publisher.token, body: { payload: [aFile({ fileName: 'private-name' })] } },
    });
    const [item] = body.processed;
    if (!item) throw new Error('Nothing was prepared.');
    await put(item);
    const caller = aTraceparent();
    const headers = { traceparent: `00-${caller.trace}-${caller.span}-01`, 'x-request-id': 'request-of-the-test' };
    const report = { bucket: item.bucket, key: item.s3Key };
    expect((await call(`${app.url}/v5/s3/success?hidden=query`, { token: publisher.token, body: report, headers })).status).toBe(200);

    await eventually(() => receiver.requests.length === 2);
    const spans = await collected(caller.trace, ['POST /v5/s3/success', 'transcoding', 'storage PutObject']);
    await eventually(
      () => collector.spans.filter(({ traceId, name }) => traceId === caller.trace && name.startsWith('egress ')).length === 2,
    );
    for (const job of ['job inspect_file', 'job compute_checksums']) {
      await eventually(() => collector.spans.some(({ traceId, name }) => traceId === caller.trace && name === job));
    }
    const all = collector.spans.filter(({ traceId }) => traceId === caller.trace);
    const nameOf = (id: string | undefined) => (id === caller.span ? 'the caller' : all.find(({ spanId }) => spanId === id)?.name);
    const steps = all.filter(({ name }) => name !== 'storage GetBucketVersioning'); // once a minute, whatever is under way
    const parents = new Set(steps.map(({ name, parentSpanId }) => `${nameOf(parentSpanId)} > ${name}`));
    expect(parents).toEqual(
      new Set([
        'the caller > POST /v5/s3/success',
        'POST /v5/s3/success > storage HeadObject',
        'POST /v5/s3/success > storage ListMultipartUploads',
        'POST /v5/s3/success > storage ListObjectVersions',
        'POST /v5/s3/success > instruction https',
        'instruction https > egress POST',
        'POST /v5/s3/success > transcoding',
        'POST /v5/s3/success > job deliver_event',
        'POST /v5/s3/success > job inspect_file',
        'job compute_checksums > storage GetObject',
        'job inspect_file > storage GetObject',
        'transcoding > job compute_checksums',
        'transcoding > storage PutObject',
        'transcoding > storage HeadObject',
        'transcoding > instruction https',
      ]),
    );
    const eventsOf = (step: string) => spans.find(({ name }) => name === step)?.events?.map(({ name }) => name);
    expect([eventsOf('POST /v5/s3/success'), eventsOf('transcoding')]).toEqual([['event:s3success'], ['event:transcoderJobComplete']]);
    const request = spans.find(({ name }) => name === 'POST /v5/s3/success');
    expect(request && attributesOf(request)).toMatchObject({
      ...{ 'request.id': 'request-of-the-test', 'http.request.method': 'POST', 'http.route': '/v5/s3/success' },
    });
    const webhooks = all.filter(({ name }) => name === 'egress POST').map(({ spanId }) => `00-${caller.trace}-${spanId}-01`);
    expect(receiver.requests.map(({ headers: { traceparent } }) => traceparent).sort()).toEqual(webhooks.sort());
    expect([...collector.paths]).toEqual(['POST /v1/traces']);
  });

  it('sends nothing that is secret or about a person', () => {
    const text = JSON.stringify(collector.spans);
    const { storageKey, appSecret } = app.config;
    const secrets = [
      publisher.token,
      publisher.user.email,
      storageKey?.secretAccessKey,
      appSecret,
      'secret-of-the-hook',
      'hidden=query',
      'private-name',
    ];
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  it('continues a trace in a job', async () => {
    const { id } = await uploadMedia(app, publisher.token);
    const caller = aTraceparent();
    const headers = { traceparent: `00-${caller.trace}-${caller.span}-01` };
    await call(`${app.url}/v5/mediacontainer/${id}`, { method: 'DELETE', token: publisher.token, body: { forceDelete: true }, headers });
    const spans = await collected(caller.trace, ['job destroy_media_container']);
    const job = spans.find(({ name }) => name === 'job destroy_media_container');
    expect(spans.find(({ spanId }) => spanId === job?.parentSpanId)?.name).toMatch(/^DELETE /);
  });

  it('does not continue the trace of a stranger, but links to it', async () => {
    const stranger = aTraceparent();
    const headers = {
      traceparent: `00-${stranger.trace}-${stranger.span}-01`,
      'x-forwarded-for': '203.0.113.7',
      'x-request-id': 'from-afar',
    };
    await call(`${app.url}/v5/formats`, { method: 'POST', token: publisher.token, body: {}, headers });
    const isIt = (span: CollectedSpan) => attributesOf(span)['request.id'] === 'from-afar';
    await eventually(() => collector.spans.some(isIt));
    const span = collector.spans.find(isIt);
    expect(span).toMatchObject({ links: [{ traceId: stranger.trace, spanId: stranger.span }] });
    expect([span?.parentSpanId || null, span?.traceId === stranger.trace]).toEqual([null, false]);
  });

  it('traces reads only as a share, and those of a caller that traces', async () => {
    const caller = aTraceparent();
    await call(`${app.url}/v5/format`, { token: publisher.token, headers: { 'x-request-id': 'untraced' } });
    const notSampled = { traceparent: `00-${aTraceparent().trace}-${caller.span}-00`, 'x-request-id': 'untraced' };
    const before = receiver.requests.length;
    const { body } = await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, {
      ...{ token: publisher.token, body: { payload: [aFile()] }, headers: notSampled },
    });
    const [item] = body.processed;
    if (!item) throw new Error('Nothing was prepared.');
    await put(item);
    const report = { bucket: item.bucket, key: item.s3Key };
    await call(`${app.url}/v5/s3/success`, { token: publisher.token, body: report, headers: notSampled });
    await eventually(() => receiver.requests.length > before);
    expect(receiver.requests[before]?.headers.traceparent).toBeUndefined();
    const headers = { traceparent: `00-${caller.trace}-${caller.span}-01` };
    await call(`${app.url}/v5/format`, { token: publisher.token, headers });
    await collected(caller.trace, ['GET /v5/format']);
    expect(collector.spans.filter((span) => attributesOf(span)['request.id'] === 'untraced')).toEqual([]);
  });
});

describe('a collector', () => {
  it.each([
    ['is down', false],
    ['never answers', true],
  ])('that %s keeps no request waiting, and is one line of the log', async (_, isThere) => {
    const { log, lines } = capturedLog();
    const collector = new Collector(false);
    // The system does not assign port 1 to other servers; a closed port may be theirs a moment later.
    const endpoint = isThere ? await collector.listen() : 'http://127.0.0.1:1';
    const app = await startTestApp({ otelExporterOtlpEndpoint: endpoint, otelTracesSamplerArg: 1, log });
    const { token } = await aPublisher(app);
    for (let n = 0; n < 20; n += 1) expect((await call(`${app.url}/v5/format`, { token })).status).toBe(200);
    if (!isThere) await eventually(() => lines.some(({ msg }) => msg === 'traces could not be sent'));
    for (let n = 0; n < 20; n += 1) expect((await call(`${app.url}/v5/format`, { token })).status).toBe(200);
    const warnings = lines.filter(({ level, msg }) => level === 40 && msg === 'traces could not be sent'); // further ones are at the level debug
    expect(warnings.length).toBeLessThanOrEqual(1); // 0 if no call has reached its time limit yet
    await app.close(); // writes how many there were
    if (isThere) await collector.close();
  });
});
