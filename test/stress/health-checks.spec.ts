import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import type { CheckDetails, CheckName } from '../../src/shared/health/health.dto.js';
import { HealthService } from '../../src/shared/health/health.service.js';
import { JobsService } from '../../src/shared/jobs/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { aJob, createTranscodingWorld } from '../support/converter/transcoding-stage.js';
import { startDatabaseProxy } from '../support/database/database-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';
import { aSubscriber, aSubscription, happen, startStage } from '../support/subscriptions/run-stage.js';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => await database.drop());

/** The finding about a part when it has this status. */
async function find(process: TestContext, name: CheckName, status: CheckDetails['status']): Promise<CheckDetails | undefined> {
  const ask = async () => (await process.get(HealthService).examine()).details.checks?.[name];
  await eventually(async () => (await ask())?.status === status);
  return await ask();
}

describe('readiness', () => {
  it('names work that has waited for a minute while no worker is running', async () => {
    const stage = await startStage({ database, worker: 'off' });
    const ada = await aSubscriber(stage);
    await aSubscription(stage, { by: ada });
    await happen(stage, ada);
    await stage.process.get(JobsService).add('rarely', {});
    await find(stage.process, 'jobs', 'ok');
    await stage.db.query(`UPDATE subscription_runs SET created_at = now() - interval '61 seconds'`);
    await stage.db.query(`UPDATE graphile_worker._private_jobs SET run_at = now() - interval '61 seconds'`);
    stage.clock.advance(16);
    const waiting = 'instructions of subscriptions, background jobs';
    expect((await find(stage.process, 'jobs', 'failing'))?.reason).toBe(
      `No worker is running, and these wait: ${waiting}. Start a process with WORKER=inline, or \`npm run worker\`.`,
    );
    const worker = await startStage({ database });
    stage.clock.advance(11);
    await find(stage.process, 'jobs', 'ok');
    await worker.close();
    await stage.close();
  });

  it('names transcodings that have waited for a minute and that no worker can make', async () => {
    const world = await createTranscodingWorld();
    const web = await world.start({ worker: 'off' });
    await aJob(web, { programs: ['cli:lost'] });
    web.clock.advance(61);
    const without = 'Renditions wait (1 or more), and no worker that can make any is running.';
    expect((await find(web.process, 'renditions', 'failing'))?.reason).toBe(without);
    await world.start();
    await world.close();
  });

  it('is not delayed by a storage that accepts calls and does not answer, and names it', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const storageKey = { accessKeyId: 'a', secretAccessKey: 'b' };
    const settings = { s3Bucket: 'media', s3Endpoint: `http://${host}`, stsRoleArn: 'arn:aws:iam::1:role/uploads', storageKey };
    const process = await startTestContext({ database, ...settings });
    const begun = performance.now();
    expect((await process.get(HealthService).examine()).status).toBe('ok');
    expect(performance.now() - begun).toBeLessThan(2_000); // 0.1 s, and what a busy machine adds
    const [storage, sts] = [await find(process, 'storage', 'failing'), await find(process, 'sts', 'failing')];
    expect(storage?.reason).toBe(`The object storage ${host} does not work (no answer within 3 seconds).`);
    expect(sts?.reason).toBe(`The security token service ${host} does not work (no answer within 3 seconds).`);
    await process.close();
    silent.close();
  });

  it('is down after two seconds when connections to PostgreSQL fall silent, and while PostgreSQL takes no changes', async () => {
    const proxy = await startDatabaseProxy(database);
    const process = await startTestContext({ database: { ...database, url: proxy.url } });
    const examine = async () => (await process.get(HealthService).examine()).details.database;
    expect(await examine()).toBe('ok');
    proxy.silence(''); // those of the pool have no name
    expect(await examine()).toBe('down');
    await eventually(async () => (await examine()) === 'ok'); // by other connections
    await process.get(Database).query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET default_transaction_read_only = on`);
    proxy.cutOff(true);
    proxy.cutOff(false);
    await eventually(async () => (await examine()) !== 'ok'); // new connections to it are refused
    expect((await process.get(HealthService).examine()).status).toBe('down');
    await process.close();
    await proxy.close();
  });
});
