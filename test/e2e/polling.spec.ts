import { beforeAll, describe, expect, it } from '@jest/globals';
import { ActivitiesRepository } from '../../src/modules/activity/index.js';
import { parseRateLimits } from '../../src/shared/config/rate-limits.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { aDropsite, refusals, senderOf } from '../support/delivery/dropsites.js';
import { call, tokenOf } from '../support/media/uploads.js';

const JOBS = 30;
/** So many calls of a page that watches its jobs, once a second each, have been counted in the minute. */
const CALLS_BEFORE = 45 * JOBS;

const { app } = useTestAppWithStorage({ rateLimits: parseRateLimits('on') });
let user: Awaited<ReturnType<typeof aUser>>;
let token: string;
beforeAll(async () => {
  user = await aUser(app);
  token = await tokenOf(app, user);
});

async function startJobs(): Promise<string[]> {
  const ids = Array.from({ length: JOBS }, () => crypto.randomUUID());
  for (const id of ids) await app.app.get(ActivitiesRepository).start({ id, customerId: user.customerId, clientId: null, type: 'upload' });
  return ids;
}

const countBefore = async (calls: number) =>
  await app.app.get(Database).query(`UPDATE rate_limits SET points = $1 WHERE key LIKE 'polling:%jobResult'`, [calls]);

describe('polling', () => {
  it(`of ${JOBS} jobs is possible while they run, and does not use the limit of other calls`, async () => {
    const ids = await startJobs();
    const statuses = new Set<number>();
    for (const round of [1, 2]) {
      if (round === 2) await countBefore(CALLS_BEFORE);
      const answers = await Promise.all(ids.map(async (id) => await call(`${app.url}/v5/activity/jobResult/${id}`, { token })));
      for (const { status, headers } of answers) {
        statuses.add(status);
        expect(headers.get('ratelimit-policy')).toBe('"polling";q=6000;w=60');
      }
    }
    expect([...statuses]).toEqual([200]);
    const list = await call(`${app.url}/v5/activity?limit=${JOBS}`, { token });
    expect([list.status, list.headers.get('ratelimit-policy')]).toEqual([200, '"polling";q=6000;w=60']);
    const other = await call(`${app.url}/v5/mediacontainer`, { token });
    expect([other.status, other.headers.get('ratelimit-policy'), other.headers.get('ratelimit-remaining')]).toEqual([
      200,
      '"api";q=1200;w=60',
      '1199',
    ]);
  });

  it('has a limit all the same', async () => {
    const [id] = await startJobs();
    await countBefore(6_000);
    expect(refusals([await call(`${app.url}/v5/activity/jobResult/${id}`, { token })])).toEqual([[429, 'rate_limited']]);
  });

  it('of the previews of delivered files has the same limit', async () => {
    const { dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const { uploadId } = (await sender.create()).body;
    const url = `${app.url}/v5/dropsite/${dropsite.link}/progress?uploadId=${uploadId}`;
    const { status, headers } = await call(url, { headers: { clientid: dropsite.clientId } });
    expect([status, headers.get('ratelimit-policy')]).toEqual([200, '"polling";q=6000;w=60']);
  });
});
