import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { findPort } from '../../src/process/find-port.js';
import { isSignedIn, signInWithDemoLogin } from '../support/app/demo-login.js';
import { processesOf, spawnProgram, startProgram } from '../support/app/program.js';
import { useProgramFolder } from '../support/app/program-folder.js';
import { eventually } from '../support/eventually.js';

const LONG_MS = 120_000; // several starts
const RECOVERY_MS = 30_000; // PostgreSQL reads its log again
const LOOPBACK = '127.0.0.1';

const folder = useProgramFolder();
const start = async (env: Record<string, string> = {}) => await startProgram({ env: { DATA_DIR: folder.dataDir, ...env } });
const leftovers = () => processesOf(folder.dataDir);
const readiness = async ({ url }: { url: string }) => (await fetch(`${url}/health/ready`)).status;
const killDatabase = () => process.kill(folder.serverPid ?? Number.NaN, 'SIGKILL');

describe('the service', () => {
  it(
    'keeps everything acknowledged after a kill -9',
    async () => {
      const PORT = String(await findPort(LOOPBACK, 0));
      const killed = await start({ PORT });
      const browser = await signInWithDemoLogin(killed);
      await killed.end('SIGKILL');
      killDatabase();
      const next = await start({ PORT });
      expect(await isSignedIn(browser)).toBe(true);
      expect(await next.end()).toBe(0);
      expect(leftovers()).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'is not ready when its database is killed, and recovers automatically',
    async () => {
      const program = await start();
      const browser = await signInWithDemoLogin(program);
      killDatabase();
      await eventually(async () => (await readiness(program)) === 503);
      await eventually(async () => (await readiness(program)) === 200, RECOVERY_MS);
      expect(await isSignedIn(browser)).toBe(true);
      expect(await program.end()).toBe(0);
      expect(leftovers()).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'ends in order although its database was killed in the same moment',
    async () => {
      const program = await start();
      killDatabase();
      expect(await program.end()).toBe(0);
      expect(leftovers()).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'logs an uncaught error, and shuts down gracefully with code 1',
    async () => {
      const fail = `process.on('SIGUSR2', () => Promise.reject(new Error('nobody expected this')))`;
      const program = await start({ NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(fail)}` });
      expect(await program.end('SIGUSR2')).toBe(1);
      const line = program.output.stdout.split('\n').find((text) => text.includes('nobody expected this')) ?? '';
      expect(JSON.parse(line)).toMatchObject({ level: 60, err: { message: 'nobody expected this' } });
      expect(leftovers()).toEqual([]);
    },
    LONG_MS,
  );
});

describe('a start that cannot succeed', () => {
  it('reports a port in use in one line, and leaves nothing', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, LOOPBACK, () => resolve((other.address() as { port: number }).port));
    });
    const program = spawnProgram({ env: { DATA_DIR: folder.dataDir, PORT: String(port) } });
    expect(await program.ended).toBe(1);
    other.close();
    const stderr = `Port ${port} is taken: stop the program that uses it, or start with another one, e.g. PORT=${port + 10} npm start.\n`;
    expect(program.output).toEqual({ stdout: '', stderr });
    expect(existsSync(folder.dataDir)).toBe(false);
  });

  it('names everything that production lacks, at once', async () => {
    const program = spawnProgram({ env: { DATA_DIR: folder.dataDir, PORT: '0', NODE_ENV: 'production', CODE_TTL_SECONDS: 'soon' } });
    expect(await program.ended).toBe(1);
    const { stdout, stderr } = program.output;
    expect(stdout).toBe('');
    for (const name of ['DATABASE_URL', 'APP_SECRET', 'PUBLIC_URL', 'CODE_TTL_SECONDS'])
      expect(stderr).toMatch(new RegExp(`^  - ${name} `, 'm'));
    expect(stderr).not.toMatch(/^ +at /m);
    expect(existsSync(folder.dataDir)).toBe(false);
  });

  it('reports a database that does not answer', async () => {
    const port = await findPort(LOOPBACK, 0); // no program listens there any more
    const program = spawnProgram({ env: { PORT: '0', DATABASE_URL: `postgres://nobody@${LOOPBACK}:${port}/x`, DATA_DIR: folder.dataDir } });
    expect(await program.ended).toBe(1);
    expect(program.output.stderr).toMatch(
      /^The database does not answer: .*ECONNREFUSED.* Check DATABASE_URL and whether PostgreSQL is running\.$/m,
    );
    expect(program.output.stdout).toBe('');
  });
});
