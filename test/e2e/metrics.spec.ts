import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import '../../src/process/cluster-metrics.js'; // its metric is that of processes with WEB_CONCURRENCY
import { openMetricsPort } from '../../src/process/metrics-port.js';
import { REPOSITORY } from '../support/app/program.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { capturedLog } from '../support/captured-log.js';
import { anEmbed, type Embed } from '../support/delivery/embeds.js';
import { aPublisher, type Publisher } from '../support/delivery/player-configurations.js';
import { aFile, call, type UploadDocument } from '../support/media/uploads.js';
import { alertsIn, expressionsOf, metricNames, metricsIn, readAlertRules, readDashboard, rises, valueIn } from '../support/metrics.js';
import { rawRequest } from '../support/raw-request.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

const LIMITS = { points: 100_000, seconds: 60 };
const RATE_LIMITS = [
  'address',
  'login',
  'saml',
  'token',
  'dropsite',
  'items',
  'refused',
  'delivery',
  'segments',
  'polling',
  'api',
] as const;

let storage: TestStorage;
let app: TestApp;
let publisher: Publisher;
let embed: Embed;
beforeAll(async () => {
  storage = await startTestStorage();
  const limits = Object.fromEntries(RATE_LIMITS.map((name) => [name, LIMITS])) as Record<(typeof RATE_LIMITS)[number], typeof LIMITS>;
  app = await startTestApp({ ...storage.settings, rateLimits: { ...limits, polling: { points: 1, seconds: 60 } } });
  publisher = await aPublisher(app);
  embed = await anEmbed(app, publisher, { type: 'image', original: { fileName: 'a.jpg', content: 'picture' } });
});
afterAll(async () => {
  await app?.close();
  await storage?.close();
});

const scrape = async () => await (await fetch(`${app.url}/metrics`)).text();

const page = readFileSync(path.join(REPOSITORY, 'docs/metrics.md'), 'utf8');
const headings = new Set([...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-')));

describe('the metrics', () => {
  it('are all described in docs/metrics.md, and no others', async () => {
    const isOwn = (name: string) => !/^(process|nodejs)_/.test(name);
    const own = metricNames(await scrape()).filter(isOwn);
    const described = [...page.matchAll(/^\| `([a-z]+_[a-z_]+)`/gm)].map(([, name = '']) => name).filter(isOwn);
    expect(own.sort()).toEqual(described.sort());
    expect(own.length).toBeGreaterThan(20);
  });

  it('are those that the alerts and the dashboard read', async () => {
    const names = new Set([...metricNames(await scrape()), 'up']);
    const expressions = [...alertsIn(readAlertRules()).map(({ expr }) => expr), ...expressionsOf(readDashboard())];
    const read = new Set(expressions.flatMap(metricsIn));
    expect([...read].filter((name) => !names.has(name))).toEqual([]);
    expect(read.size).toBeGreaterThan(25);
    expect(metricsIn('sum by (a) (rate(one_total{b="c_total"}[5m])) > on (d) topk(3, two_bucket offset 1h) or 7 * three')).toEqual(
      expect.arrayContaining(['one_total', 'two', 'three']),
    );
  });

  it('have alerts with a section of the page that says what to do', () => {
    const alerts = alertsIn(readAlertRules());
    for (const { alert, labels, annotations } of alerts) {
      const { summary, description, runbook_url: link } = annotations;
      expect([alert, summary !== '', description !== '']).toEqual([alert, true, true]);
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      const [file = '', anchor = ''] = link.split('#');
      expect([alert, existsSync(path.join(REPOSITORY, file)), headings.has(anchor)]).toEqual([alert, true, true]);
      expect([alert, anchor]).toEqual([alert, alert.toLowerCase()]);
    }
    const [, sections = ''] = page.split('\n## Alerts\n');
    expect([...sections.matchAll(/^### (.+)$/gm)].map(([, name]) => name)).toEqual(alerts.map(({ alert }) => alert));
  });

  it('count deliveries, and denials by rule', async () => {
    const closed = await publisher.made({
      ...{ type: 'image', templateId: 0, formats: [{ formatId: embed.formatIds.original, downloadable: false }] },
      securitySettings: { authOnly: false, ipWhiteList: [{ type: 'ipv4', cidr: '203.0.113.0/24' }] },
    });
    const { link } = (await publisher.embed(embed.containerId, closed.id)).body;
    const open = async (address: string) => (await fetch(`${app.url}/v5/deliverFile/${address}`, { redirect: 'manual' })).status;
    const statuses: number[] = [];
    const decided = (outcome: string, rule = '') => `delivery_decisions_total{outcome="${outcome}",rule="${rule}"}`;
    const work = async () => {
      for (const address of [embed.link, embed.link, link, 'unknown']) statuses.push(await open(address));
    };
    const lookups = `cache_lookups_total{cache="player_configurations",result="hit"}`;
    const series = [decided('allowed'), decided('ip_not_allowed', 'ipWhiteList'), decided('not_found'), decided('auth_required', 'auth')];
    const files = ['redirect', 'stream'].map((outcome) => `deliveries_total{outcome="${outcome}"}`);
    const risen = await rises(scrape, [...series, ...files, lookups], work);
    expect(statuses).toEqual([302, 302, 403, 404]);
    expect(Object.values(risen).slice(0, 6)).toEqual([2, 1, 1, 0, 2, 0]);
    expect(risen[lookups]).toBeGreaterThan(0);
  });

  it('count files of uploads, calls of the storage, and events', async () => {
    const item = (outcome: string) => `upload_items_total{outcome="${outcome}"}`;
    const called = (operation: string) => `storage_calls_total{operation="${operation}",outcome="ok"}`;
    const series = [
      ...['prepared', 'refused', 'successful', 'unsuccessful'].map(item),
      'upload_reports_refused_total{code="object_missing"}',
      ...['AssumeRole', 'HeadObject'].map(called),
      'events_total{event="event:uploadComplete"}',
    ];
    const { token } = publisher;
    const risen = await rises(scrape, series, async () => {
      const payload = [aFile(), aFile({ fileName: 'b.jpg' }), aFile({ type: 'nothing' })];
      const { body } = await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, { token, body: { payload } });
      const [{ bucket, s3Key: key } = { bucket: '', s3Key: '' }] = body.processed;
      expect((await call(`${app.url}/v5/s3/success`, { token, body: { bucket, key } })).body).toMatchObject({ code: 'object_missing' });
      await call(`${app.url}/v5/s3/uploadComplete`, { token, body: { uploadId: body.uploadId } });
    });
    expect(Object.values(risen)).toEqual([2, 1, 0, 2, 1, 1, 1, 1]);
    expect(valueIn(await scrape(), item('successful'))).toBeGreaterThan(0);
    expect(valueIn(await scrape(), 'storage_call_duration_seconds_count{operation="AssumeRole"}')).toBeGreaterThan(0);
  });

  it('count what rate limits refuse', async () => {
    const poll = async () => (await call(`${app.url}/v5/activity`, { token: publisher.token })).status;
    const series = ['rate_limited_total{limit="polling"}', 'rate_limited_total{limit="api"}'];
    expect(Object.values(await rises(scrape, series, async () => [await poll(), await poll(), await poll()]))).toEqual([2, 0]);
  });
});

describe('internals of the service', () => {
  const ask = async (path: string, host: string) => await rawRequest(app.url, { path, headers: { host } });

  it.each(['rebound.example', 'localhost.rebound.example:3000', '127.0.0.1.rebound.example'])(
    'are not shown over loopback under the host name %j, which another site may point at this machine',
    async (host) => {
      expect((await ask('/metrics', host)).status).toBe(404);
      expect(JSON.parse((await ask('/health/ready', host)).text)).toEqual({ status: 'ok' });
    },
  );

  it.each(['localhost:1', '127.0.0.1', '[::1]:3000'])('are shown over loopback under %s', async (host) => {
    expect((await ask('/metrics', host)).status).toBe(200);
    expect(JSON.parse((await ask('/health/ready', host)).text)).toHaveProperty('details.checks');
  });
});

describe('METRICS_PORT', () => {
  const { log, lines } = capturedLog();
  const open = async (port: number) =>
    await openMetricsPort({ ...app.config, metricsPort: port, metricsToken: 'a token' }, log, async () => 'the metrics');
  const ask = async (pathAndQuery: string, headers: Record<string, string> = {}) => {
    const { port } = lines.find(({ msg }) => msg === 'metrics are served') as { port: number };
    const { status, text } = await rawRequest(`http://127.0.0.1:${port}`, { path: pathAndQuery, headers });
    return [status, text];
  };

  it('serves metrics and nothing else, to the machine itself and with the token', async () => {
    const close = await open(0);
    expect(await ask('/metrics')).toEqual([200, 'the metrics']);
    expect(await ask('/metrics', { 'x-forwarded-for': '203.0.113.7' })).toEqual([401, expect.stringContaining('METRICS_TOKEN')]);
    expect(await ask('/metrics', { 'x-forwarded-for': '203.0.113.7', authorization: 'Bearer a token' })).toEqual([200, 'the metrics']);
    expect(await ask('/metrics', { host: 'rebound.example' })).toEqual([401, expect.stringContaining('METRICS_TOKEN')]);
    expect(await ask('/metrics', { authorization: 'Bearer another' })).toEqual([401, expect.any(String)]);
    expect(await ask('/health/ready')).toEqual([404, expect.stringContaining('GET /metrics')]);
    await close();
    await expect(ask('/metrics')).rejects.toThrow();
  });

  it('that is taken is reported by its name', async () => {
    const other = createServer((_request: IncomingMessage, response) => response.end());
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await expect(open(port)).rejects.toThrow(
      `Port ${port} is taken: stop the program that uses it, or start with another one, e.g. METRICS_PORT=`,
    );
    await new Promise((resolve) => other.close(resolve));
  });
});
