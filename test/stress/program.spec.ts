import { chownSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { canReach } from '../../src/embedded/postgres/server-user.js';
import { signInWithDemoLogin } from '../support/app/demo-login.js';
import { processesOf, REPOSITORY, type RunningProgram, spawnProgram, startProgram } from '../support/app/program.js';
import { useProgramFolder } from '../support/app/program-folder.js';
import { senderOf } from '../support/delivery/dropsites.js';
import { eventually } from '../support/eventually.js';

const LONG_MS = 120_000; // several starts
const nobody = { uid: 65_534, gid: 65_534 };

const folder = useProgramFolder();
const start = async () => await startProgram({ env: { DATA_DIR: folder.dataDir } });
const deliver = async ({ url, output }: RunningProgram) => {
  const link = /^ *Dropsite: http:\/\/localhost:\d+\/d\/(\S+)$/m.exec(output.stdout)?.[1] ?? 'none';
  return await senderOf({ url }, link).deliver();
};
const leftovers = () => processesOf(folder.dataDir);

describe('npm start', () => {
  it(
    'says where it is and how to sign in, the same at every start, and Ctrl-C ends everything',
    async () => {
      const first = await start();
      expect(first.output.stdout).toMatch(
        /^ *Service: (http:\/\/localhost:\d+)\n *Console: \1\/console\n *API docs: \1\/docs\n *Account: \1\/account$/m,
      );
      await signInWithDemoLogin(first);
      expect((await deliver(first)).body).toMatchObject({ name: 'Demo dropsite', requiresPassword: false });
      expect(statSync(path.join(folder.dataDir, 'demo-login.json')).mode & 0o777).toBe(0o600);
      expect(await first.end('SIGINT')).toBe(0);
      expect(leftovers()).toEqual([]);

      const second = await start();
      expect([second.login, (await deliver(second)).body.link]).toEqual([first.login, (/\/d\/(\S+)/.exec(first.output.stdout) ?? [])[1]]);
      expect(await second.end('SIGTERM')).toBe(0);
      expect(leftovers()).toEqual([]);
    },
    LONG_MS,
  );

  it.each([
    ['Ctrl-C in the terminal', (npm: number) => process.kill(-npm, 'SIGINT')],
    ['the end of the terminal', (npm: number) => process.kill(-npm, 'SIGHUP')],
    ['SIGTERM for npm alone', (npm: number) => process.kill(npm, 'SIGTERM')],
  ])(
    'ends everything under npm at %s',
    async (_, tell) => {
      const npm = await startProgram({ command: ['npm', 'start'], env: { DATA_DIR: folder.dataDir }, detached: true });
      tell(npm.process.pid ?? Number.NaN);
      await npm.ended;
      expect(leftovers()).toEqual([]);
    },
    LONG_MS,
  );

  it.each([
    ['is made', () => existsSync(folder.dataDir) && readdirSync(folder.dataDir).some((name) => name.startsWith('postgres.init-'))],
    ['starts', () => folder.serverPid !== undefined],
  ])(
    'leaves nothing behind when Ctrl-C comes while the database %s',
    async (_, isReached) => {
      const program = spawnProgram({ env: { DATA_DIR: folder.dataDir, PORT: '0' } });
      await eventually(isReached, LONG_MS);
      expect(await program.end()).toBe(0);
      expect(leftovers()).toEqual([]);
      expect(program.output.stdout).toBe('');
    },
    LONG_MS,
  );

  it(
    'shares the database with a second service of the same data directory until the last one ends',
    async () => {
      const [first, second] = await Promise.all([start(), start()]);
      expect(second.login).toEqual(first.login);
      expect(await first.end()).toBe(0);
      await signInWithDemoLogin(second);
      expect(await second.end()).toBe(0);
      expect(leftovers()).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'runs for a user who may not write in the checkout',
    async () => {
      mkdirSync(folder.dataDir);
      const program = await startProgram({ ...asOrdinaryUser(folder.dataDir), env: { DATA_DIR: folder.dataDir } });
      await signInWithDemoLogin(program);
      expect(await program.end()).toBe(0);
      expect(leftovers()).toEqual([]);
    },
    LONG_MS,
  );
});

/** Where others than root cannot reach the checkout: root without root's powers. */
function asOrdinaryUser(dataDir: string) {
  if (process.getuid?.() !== 0) return {};
  if (![process.execPath, REPOSITORY].every((needed) => canReach(needed, nobody)))
    return { command: ['unshare', '--user', '--map-user=65534', '--', process.execPath, 'scripts/run.mjs', 'main.js'] };
  chownSync(dataDir, nobody.uid, nobody.gid);
  return nobody;
}
