import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { Database } from '../../src/shared/database/index.js';
import { DomainError } from '../../src/shared/errors.js';
import { JobsService } from '../../src/shared/jobs/index.js';
import { LOCK_OF_WORKER } from '../../src/shared/jobs/jobs.repository.js';
import { CONCURRENCY } from '../../src/shared/jobs/jobs.worker.js';
import { WorkerPresenceService } from '../../src/shared/jobs/worker-presence.service.js';
import type { Log } from '../../src/shared/logging/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { capturedLog } from '../support/captured-log.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';

interface Payload {
  readonly name: string;
}

/** A promise and how to fulfil it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

let database: TestDatabase;
let processes: TestContext[];
beforeEach(async () => {
  database = await createTestDatabase();
  processes = [];
});
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(processes.map(async (process) => await process.close()));
  await database.drop();
});

/** A process with a handler for the task `work`; `ran` are the names of the jobs that began here. */
async function start({
  worker = 'inline',
  work,
  log,
}: {
  worker?: 'inline' | 'off';
  work?: (payload: Payload) => Promise<void>;
  log?: Log;
} = {}) {
  const ran: string[] = [];
  const process = await startTestContext({
    database,
    worker,
    log,
    prepare: (get) => {
      get(JobsService).handle<Payload>('work', async (payload) => {
        ran.push(payload.name);
        await work?.(payload);
      });
    },
  });
  processes.push(process);
  return { ran, jobs: process.get(JobsService), database: process.get(Database), presence: process.get(WorkerPresenceService), process };
}

const waitingJobs = async (db: Database) =>
  (
    await db.query<{ name: string; worker: string | null; attempts: number }>(
      `SELECT payload->>'name' AS name, locked_by AS worker, attempts FROM graphile_worker._private_jobs WHERE payload->>'name' IS NOT NULL ORDER BY id`,
    )
  ).rows;

/** The locks of workers that are held now. */
const locks = async (db: Database) =>
  (
    await db.query<{ pid: number }>(
      `SELECT pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE locktype = 'advisory' AND granted AND a.datname = current_database() AND a.application_name = 'worker presence'`,
    )
  ).rows;

describe('a job', () => {
  it('that was added in a transaction exists when that is committed, and never otherwise', async () => {
    const { jobs, database: db } = await start({ worker: 'off' });
    const failed = db.transaction(async () => {
      await jobs.add('work', { name: 'never' });
      expect(await waitingJobs(db)).toHaveLength(1);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await waitingJobs(db)).toEqual([]);
    await db.transaction(async () => {
      await jobs.add('work', { name: 'committed' });
      expect(await db.outsideTransaction(async () => await waitingJobs(db))).toEqual([]);
    });
    expect(await waitingJobs(db)).toMatchObject([{ name: 'committed' }]);
  });

  it('is run once, by one of the processes that do jobs', async () => {
    const [web, one, two] = [await start({ worker: 'off' }), await start(), await start()];
    const names = Array.from({ length: 20 }, (_, index) => `job ${index}`);
    for (const name of names) await web.jobs.add('work', { name });
    await eventually(async () => (await waitingJobs(web.database)).length === 0);
    expect([...one.ran, ...two.ran].sort()).toEqual(names.sort());
    expect(web.ran).toEqual([]);
  });

  it('is tried again when it failed, as often as it may', async () => {
    const {
      ran,
      jobs,
      database: db,
    } = await start({
      work: async () => {
        throw new Error('it failed');
      },
    });
    await jobs.add('work', { name: 'failing' }, { maxAttempts: 2 });
    const tried = async (times: number) =>
      await eventually(async () => (await waitingJobs(db)).some(({ attempts, worker }) => attempts === times && worker === null));
    await tried(1);
    await db.query(`UPDATE graphile_worker._private_jobs SET run_at = now()`); // instead of waiting
    await tried(2);
    await db.query(`UPDATE graphile_worker._private_jobs SET run_at = now()`);
    await jobs.add('work', { name: 'afterwards' });
    await eventually(() => ran.includes('afterwards'));
    expect(ran).toEqual(['failing', 'failing', 'afterwards']);
  });

  it('is tried again soon when it failed in an outage, however long that lasted, and the attempt does not count', async () => {
    let isAway = true;
    const {
      ran,
      jobs,
      database: db,
    } = await start({
      work: async () => {
        if (isAway) throw new DomainError('unavailable', 'storage_unavailable', 'The storage does not answer.');
      },
    });
    const failing = async () => {
      const { rows } = await db.query<{ attempts: number; seconds: number }>(
        `SELECT attempts, extract(epoch FROM run_at - now())::float8 AS seconds FROM graphile_worker._private_jobs WHERE payload->>'name' = 'once' AND locked_by IS NULL`,
      );
      return rows.find(({ seconds }) => seconds > 2);
    };
    await jobs.add('work', { name: 'once' }, { maxAttempts: 1 });
    for (let time = 0; time < 4; time += 1) {
      const { attempts, seconds } = await eventually(failing);
      expect(attempts).toBe(0);
      expect(seconds).toBeLessThan(20);
      await db.query(`UPDATE graphile_worker._private_jobs SET run_at = now()`); // instead of waiting
      await eventually(() => ran.length > time + 1);
    }
    await eventually(failing);
    isAway = false;
    await db.query(`UPDATE graphile_worker._private_jobs SET run_at = now()`);
    await eventually(async () => (await waitingJobs(db)).length === 0);
    expect(new Set(ran)).toEqual(new Set(['once']));
  });

  it('of a queue waits for the one before it; others do not', async () => {
    const first = gate();
    const { ran, jobs } = await start({ work: async ({ name }) => (name === 'first' ? await first.opened : undefined) });
    await jobs.add('work', { name: 'first' }, { queue: 'a queue' });
    await eventually(() => ran.includes('first'));
    await jobs.add('work', { name: 'second' }, { queue: 'a queue' });
    await jobs.add('work', { name: 'other' });
    await eventually(() => ran.includes('other'));
    expect(ran).toEqual(['first', 'other']);
    first.open();
    await eventually(() => ran.length === 3);
    expect(ran).toEqual(['first', 'other', 'second']);
  });

  it('of a key replaces the one that waits, and waits for its time', async () => {
    const { jobs, database: db } = await start({ worker: 'off' });
    const inAnHour = new Date(Date.now() + 3_600_000);
    await jobs.add('work', { name: 'old' }, { key: 'a key', runAt: inAnHour });
    await jobs.add('work', { name: 'new' }, { key: 'a key', runAt: inAnHour });
    expect(await waitingJobs(db)).toMatchObject([{ name: 'new' }]);
    const { ran, jobs: jobsOfWorker } = await start();
    await jobsOfWorker.add('work', { name: 'now' });
    await eventually(() => ran.length > 0);
    expect(ran).toEqual(['now']);
  });

  it('is not forgotten by a process that stops: it is finished first', async () => {
    const work = gate();
    let finished = false;
    const { ran, jobs, process } = await start({
      work: async () => {
        await work.opened;
        finished = true;
      },
    });
    await jobs.add('work', { name: 'under way' });
    await eventually(() => ran.length === 1);
    const stopped = process.close();
    processes.pop();
    work.open();
    await stopped;
    expect(finished).toBe(true);
    const { database: db } = await start({ worker: 'off' });
    expect(await waitingJobs(db)).toEqual([]);
  });
});

describe('the job of a worker', () => {
  /** Makes a job look as if it had been taken long ago, so that nothing has to be waited for. */
  const age = async (db: Database) => await db.query(`UPDATE graphile_worker._private_jobs SET locked_at = now() - interval '1 minute'`);

  it('that lives is never given to another, however long it takes', async () => {
    const work = gate();
    const [busy, other] = [await start({ work: async () => await work.opened }), await start({ worker: 'off' })];
    await busy.jobs.add('work', { name: 'long' });
    await eventually(() => busy.ran.length === 1);
    await age(other.database);
    for (let look = 0; look < 5; look += 1) expect(await other.presence.releaseDead()).toEqual([]);
    for (let look = 0; look < 5; look += 1) expect(await busy.presence.releaseDead()).toEqual([]);
    expect(await waitingJobs(other.database)).toMatchObject([{ name: 'long', worker: expect.any(String), attempts: 1 }]);
    work.open();
    await eventually(async () => (await waitingJobs(other.database)).length === 0);
  });

  it('that lives is not given to another while its connection is made again', async () => {
    const work = gate();
    const [busy, other] = [await start({ work: async () => await work.opened }), await start({ worker: 'off' })];
    await busy.jobs.add('work', { name: 'long' });
    await eventually(() => busy.ran.length === 1);
    await age(other.database);
    const held = (await locks(other.database)).length;
    for (let round = 0; round < 3; round += 1) {
      const [lock] = await locks(other.database);
      await other.database.query(`SELECT pg_terminate_backend($1)`, [lock?.pid]);
      expect(await other.presence.releaseDead()).toEqual([]); // now, in the gap, and once more
      expect(await other.presence.releaseDead()).toEqual([]);
      await eventually(async () => {
        const now = await locks(other.database);
        return now.length === held && now.every(({ pid }) => pid !== lock?.pid);
      });
      expect(await other.presence.releaseDead()).toEqual([]);
    }
    work.open();
  });

  it('that died is run again by another process', async () => {
    const never = gate();
    const dying = await start({ work: async () => await never.opened });
    // As many as it does at a time: otherwise its own free workers, which live on in this test, may take what is released.
    const names = Array.from({ length: CONCURRENCY }, (_, index) => `left behind ${index}`);
    for (const name of names) await dying.jobs.add('work', { name });
    await eventually(() => dying.ran.length === CONCURRENCY);
    await dying.presence.stop(); // what the others see of a process that died: its lock is gone
    const heir = await start();
    await eventually(() => heir.ran.length === CONCURRENCY).finally(never.open);
    expect(heir.ran.sort()).toEqual(names);
    await eventually(async () => (await waitingJobs(heir.database)).length === 0);
  });

  it('that was killed is run again, and not before', async () => {
    const heir = await start();
    const worker = 'pool-of-a-killed-process';
    const program = `
      import pg from 'pg';
      const client = new pg.Client({ connectionString: process.argv[1] });
      await client.connect();
      await client.query(\`SELECT pg_advisory_lock(${LOCK_OF_WORKER})\`, ['${worker}']);
      await client.query("SELECT graphile_worker.add_job('work', '{\\"name\\":\\"left behind\\"}'::json, queue_name => 'a queue', run_at => now() + interval '1 hour')");
      await client.query(\`UPDATE graphile_worker._private_jobs SET run_at = now(), attempts = 1, locked_at = now() - interval '1 minute', locked_by = '${worker}'\`);
      await client.query(\`UPDATE graphile_worker._private_job_queues SET locked_at = now() - interval '1 minute', locked_by = '${worker}'\`);
      console.log('ready');
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program, database.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    for (let look = 0; look < 5; look += 1) expect(await heir.presence.releaseDead()).toEqual([]);
    expect(heir.ran).toEqual([]);
    child.kill('SIGKILL');
    await eventually(() => heir.ran.length === 1);
    expect(heir.ran).toEqual(['left behind']);
  });

  it('is released when its worker ends while the connection that holds its lock is made again', async () => {
    const { presence, database: db } = await start();
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    const isFree = async (worker: string) =>
      (await other.query<{ free: boolean }>(`SELECT pg_try_advisory_xact_lock(${LOCK_OF_WORKER}) AS free`, [worker])).rows[0]?.free;
    try {
      await other.query(`SELECT pg_advisory_lock(${LOCK_OF_WORKER})`, ['held elsewhere']);
      presence.announce('ended');
      await eventually(async () => !(await isFree('ended')));
      presence.announce('held elsewhere');
      await db.query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'worker presence'`);
      await eventually(async () => !(await isFree('ended'))); // the new connection has it, and waits for the next one
      const withdrawn = presence.withdraw('ended');
      await other.query('SELECT pg_advisory_unlock_all()');
      await withdrawn;
      expect(await isFree('ended')).toBe(true);
      await eventually(async () => !(await isFree('held elsewhere')));
    } finally {
      await other.end();
    }
  });

  it('is finished after all when the database was away at its end', async () => {
    const admin = async (sql: string) => {
      const client = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
      await client.connect();
      await client.query(sql).finally(async () => await client.end());
    };
    const name = new URL(database.url).pathname.slice(1);
    let away = false;
    const work = async () => {
      if (away) return;
      away = true;
      await admin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    };
    const { log, lines } = capturedLog('warn');
    jest.spyOn(console, 'trace').mockImplementation(() => {}); // graphile-worker writes there, beside its logger, why a worker ended
    const { jobs, ran, database: db } = await start({ work, log });
    await jobs.add('work', { name: 'first' });
    await eventually(() => lines.some(({ msg }) => msg === 'the job runner ended, starting another one'));
    await admin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await eventually(() => ran.length === 2);
    await jobs.add('work', { name: 'second' });
    await eventually(async () => (await waitingJobs(db)).length === 0);
    expect(ran).toEqual(['first', 'first', 'second']);
  });
});
