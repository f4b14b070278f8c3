import { randomBytes } from 'node:crypto';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BandwidthBudgetsRepository } from '../../src/modules/delivery/files/bandwidth-budgets.repository.js';
import type { BandwidthRule } from '../../src/modules/player-configurations/index.js';
import { Clock } from '../../src/shared/clock.js';
import { Database } from '../../src/shared/database/index.js';
import { HousekeepingService } from '../../src/shared/jobs/index.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { anItem, aProtectedLink, deliverFile, type EmbeddedMedia, embeddedMedia, outcome } from '../support/browser/embedded-media.js';
import { aContainer } from '../support/delivery/player-configurations.js';
import { eventually } from '../support/eventually.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

const KILOBYTES_PER_SECOND = 100;
const FILE_BYTES = 150_000;

let storage: TestStorage;
let app: TestApp;
let other: TestApp;
let origins: readonly string[];
let media: EmbeddedMedia;
beforeAll(async () => {
  storage = await startTestStorage();
  app = await startTestApp({ ...storage.settings, trustProxy: 'loopback' });
  other = await startTestApp({ ...storage.settings, trustProxy: 'loopback', database: app.database, publicUrl: app.url });
  origins = [app.url, addressOf(other.app)];
  media = await embeddedMedia(app);
  const { endpoint, region, key: credentials, bucket } = storage.address;
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: media.item.s3Key, Body: randomBytes(FILE_BYTES) }));
  client.destroy();
});
afterAll(async () => {
  await other.close();
  await app.close();
  await storage.close();
});

const linkWith = async (...bandwidthControl: BandwidthRule[]) => await aProtectedLink(media, { security: { bandwidthControl } });
const parallel = (cidr: string, limit: number): BandwidthRule => ({ cidr, type: 'parallel', limit });
const bandwidth = (cidr: string, limit: number): BandwidthRule => ({ cidr, type: 'bandwidth', limit });
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
/** One of the two processes. */
const originOf = (index: number): string => origins[index % origins.length] ?? app.url;
const FULL = '429 bandwidthControl parallel_limit_reached';

/** As if this much time had passed, in both processes. */
async function later<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  const clocks = [app, other].map((one) => one.app.get(Clock));
  const originals = clocks.map((clock) => clock.now);
  for (const clock of clocks) clock.now = () => new Date(Date.now() + seconds * 1_000);
  try {
    return await work();
  } finally {
    for (const [index, clock] of clocks.entries()) clock.now = originals[index] ?? clock.now;
  }
}

describe('plays at the same time', () => {
  it('do not exceed the limit when viewers start at the same moment at two processes', async () => {
    const { link } = await linkWith(parallel('10.0.0.0/8', 3));
    const all = Array.from({ length: 20 }, async (_, index) => await outcome(originOf(index), link, from(`10.0.0.${index}`)));
    const outcomes = await Promise.all(all);
    expect(outcomes.filter((one) => one === 'delivered')).toHaveLength(3);
    expect(outcomes.filter((one) => one === FULL)).toHaveLength(17);
    const again = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await outcome(originOf(index + 1), link, from(`10.0.0.${index}`))),
    );
    expect(again).toEqual(outcomes);
  });

  it('return the time at which a place becomes free', async () => {
    const { link } = await linkWith(parallel('10.0.0.0/8', 1));
    expect(await outcome(app.url, link, from('10.0.0.1'))).toBe('delivered');
    const { status, headers } = await deliverFile(app.url, link, from('10.0.0.2'));
    expect(status).toBe(429);
    const seconds = Number(headers['retry-after']);
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(await later(61, async () => await outcome(app.url, link, from('10.0.0.2')))).toBe('delivered');
  });

  it('are renewed by each request for a file, and by the player page', async () => {
    const { link } = await linkWith(parallel('10.0.0.0/8', 1));
    const lease = async (address: string) =>
      (await fetch(`${app.url}/v5/deliverEmbed/${link}/lease`, { method: 'POST', ...from(address) })).status;
    expect(await lease('10.0.0.1')).toBe(204);
    expect(await later(40, async () => await outcome(app.url, link, from('10.0.0.1')))).toBe('delivered');
    expect(await later(80, async () => await outcome(app.url, link, from('10.0.0.2')))).toBe(FULL);
    expect(await later(80, async () => await lease('10.0.0.1'))).toBe(204);
    expect(await later(120, async () => await lease('10.0.0.2'))).toBe(429);
    expect(await later(141, async () => await lease('10.0.0.2'))).toBe(204);
  });

  it('count for a viewer and a link, and for all links of the configuration together', async () => {
    const { configuration, link } = await linkWith(parallel('10.0.0.0/8', 2));
    const { container } = await embeddedContainer();
    const second = (await media.publisher.embed(container.id, configuration.id)).body.link;
    expect(await outcome(app.url, link, from('10.0.0.1'))).toBe('delivered');
    expect(await outcome(app.url, link, from('::ffff:10.0.0.1'))).toBe('delivered');
    expect(await outcome(app.url, second, from('10.0.0.1'))).toBe('delivered');
    expect(await outcome(app.url, second, from('10.0.0.2'))).toBe(FULL);
    expect(await outcome(app.url, (await linkWith(parallel('10.0.0.0/8', 2))).link, from('10.0.0.2'))).toBe('delivered');
  });

  it('end above a limit that is lowered, always the same ones', async () => {
    const { configuration, link } = await linkWith(parallel('10.0.0.0/8', 4));
    const viewers = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'];
    const told = async () => await Promise.all(viewers.map(async (address) => await outcome(app.url, link, from(address))));
    expect(await told()).toEqual(viewers.map(() => 'delivered'));
    const { id, formats } = configuration;
    await media.publisher.update(id, { formats, securitySettings: { authOnly: false, bandwidthControl: [parallel('10.0.0.0/8', 2)] } });
    for (const _again of [1, 2]) expect(await told()).toEqual(['delivered', 'delivered', FULL, FULL]);
  });

  it('go by the narrowest range, and are not limited outside of all', async () => {
    const { link } = await linkWith(parallel('10.0.0.0/8', 1), parallel('10.1.0.0/16', 2));
    const told = async (address: string) => await outcome(app.url, link, from(address));
    expect([await told('10.1.0.1'), await told('10.1.0.2'), await told('10.1.0.3')]).toEqual(['delivered', 'delivered', FULL]);
    expect([await told('10.0.0.1'), await told('10.0.0.2')]).toEqual(['delivered', FULL]);
    expect(await told('192.0.2.1')).toBe('delivered');
  });

  it('are not started by HEAD or by a refused request', async () => {
    const { link } = await aProtectedLink(media, {
      security: { bandwidthControl: [parallel('10.0.0.0/8', 1)], matchReferer: ['example.com'] },
    });
    const referer = { referer: 'https://example.com/' };
    const as = (address: string, more = {}) => ({ headers: { ...from(address).headers, ...more } });
    expect(await outcome(app.url, link, as('10.0.0.1'))).toBe('403 matchReferer referer_not_allowed');
    expect(await outcome(app.url, link, { ...as('10.0.0.2', referer), method: 'HEAD' })).toBe('delivered');
    expect(await outcome(app.url, link, as('10.0.0.3', referer))).toBe('delivered');
  });

  async function embeddedContainer() {
    const { publisher, format } = media;
    const container = await aContainer(app, publisher.user);
    await anItem(app, container, { formatId: format.id });
    return { container };
  }
});

describe('bandwidth', () => {
  const download = async (index: number, link: string): Promise<number> => {
    const response = await fetch(`${originOf(index)}/v5/deliverFile/${link}`, from(`10.0.0.${index}`));
    return (await response.arrayBuffer()).byteLength;
  };

  it('is shared by two downloads at two processes, which together stay within 15 % of the limit', async () => {
    const measure = async () => {
      const { link } = await linkWith(bandwidth('10.0.0.0/8', KILOBYTES_PER_SECOND * 8));
      const begun = performance.now();
      const bytes = await Promise.all([download(0, link), download(1, link)]);
      expect(bytes).toEqual([FILE_BYTES, FILE_BYTES]);
      const kilobytesPerSecond = (2 * FILE_BYTES) / (performance.now() - begun);
      expect(kilobytesPerSecond).toBeLessThan(KILOBYTES_PER_SECOND * 1.15);
      return kilobytesPerSecond > KILOBYTES_PER_SECOND * 0.85 ? kilobytesPerSecond : null; // slower: the machine is busy with something else
    };
    expect(await eventually(measure)).toBeTruthy();
  });

  it('is not limited outside of the range', async () => {
    const { link } = await linkWith(bandwidth('10.0.0.0/8', 1));
    expect((await deliverFile(app.url, link, from('192.0.2.1'))).status).toBe(302);
  });

  it('is given to others when a viewer goes away', async () => {
    const { link, configuration } = await linkWith(bandwidth('10.0.0.0/8', 40)); // half a minute for the file
    const gone = new AbortController();
    const response = await fetch(`${app.url}/v5/deliverFile/${link}`, { ...from('10.0.0.1'), signal: gone.signal });
    await response.body?.getReader().read();
    gone.abort();
    const sql = 'SELECT free_at < clock_timestamp() AS behind FROM bandwidth_budgets WHERE player_configuration_id = $1';
    const isFree = async () => (await app.app.get(Database).query<{ behind: boolean }>(sql, [configuration.id])).rows[0]?.behind;
    expect(await eventually(isFree)).toBe(true); // nothing is reserved any more
  });

  it('is released by viewers who leave before their turn', async () => {
    const { link, configuration } = await linkWith(bandwidth('10.0.0.0/8', 4)); // two seconds for each
    const gone = new AbortController();
    const ask = async (_: unknown, index: number) =>
      await fetch(`${originOf(index)}/v5/deliverFile/${link}`, { ...from('10.0.0.1'), signal: gone.signal });
    await Promise.all(Array.from({ length: 100 }, ask));
    const ahead = async () => {
      const sql = `SELECT extract(epoch FROM free_at - clock_timestamp())::float8 AS seconds FROM bandwidth_budgets WHERE player_configuration_id = $1`;
      return (await app.app.get(Database).query<{ seconds: number }>(sql, [configuration.id])).rows[0]?.seconds ?? 0;
    };
    expect(await ahead()).toBeGreaterThan(10);
    gone.abort();
    expect(await eventually(async () => (await ahead()) < 1)).toBe(true);
  });
});

describe('leases and budgets', () => {
  it('stay fast during a long transaction, such as a backup', async () => {
    const budgets = app.app.get(BandwidthBudgetsRepository);
    const budget = { playerConfigurationId: 1, cidr: '10.0.0.0/8', kbitPerSecond: 1_000_000 };
    const sizeOfIndexes = async () =>
      (await app.app.get(Database).queryOne<{ bytes: number }>(`SELECT pg_indexes_size('bandwidth_budgets')::int AS bytes`))?.bytes;
    await budgets.reserve(budget, 100);
    const before = await sizeOfIndexes();
    const backup = await app.app.get(Database).pool.connect();
    try {
      await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM users');
      for (let times = 0; times < 1_000; times += 1) await budgets.reserve(budget, 100);
      // What every version of a row is in, each look at it has to go through.
      expect(await sizeOfIndexes()).toBe(before);
    } finally {
      await backup.query('ROLLBACK');
      backup.release();
    }
  });

  it('go when they are over', async () => {
    const { link } = await linkWith(parallel('10.0.0.0/8', 1), bandwidth('10.0.0.0/8', 8_000));
    await download(link);
    const count = async () => {
      const sql = 'SELECT (SELECT count(*) FROM playback_leases)::int AS leases, (SELECT count(*) FROM bandwidth_budgets)::int AS budgets';
      return (await app.app.get(Database).query<{ leases: number; budgets: number }>(sql)).rows[0];
    };
    const before = await count();
    expect([before?.leases, before?.budgets].every((one) => Number(one) > 0)).toBe(true);
    await later(300, async () => await app.app.get(HousekeepingService).run());
    expect(await count()).toEqual({ leases: 0, budgets: 0 });
  });

  const download = async (link: string) => void (await (await fetch(`${app.url}/v5/deliverFile/${link}`, from('10.0.0.9'))).arrayBuffer());
});
