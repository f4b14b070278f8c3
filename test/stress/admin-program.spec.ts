import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { clusterPaths } from '../../src/embedded/data-directory.js';
import { findPostmaster } from '../../src/embedded/postgres/postmaster.js';
import { startEmbeddedPostgres } from '../../src/embedded/postgres/start-embedded-postgres.js';
import { works } from '../support/accounts/oauth.js';
import { aClient, aUser } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const BUILD_MS = 180_000; // a stale build takes about 15 s, more when the machine is busy

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function runProgram(
  file: string,
  argv: readonly string[],
  given: { env?: Record<string, string>; input?: string } = {},
): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? '', ...given.env };
  const child = spawn(process.execPath, [path.join(ROOT, file), ...argv], { cwd: ROOT, env });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.on('error', () => undefined); // a program that refuses its arguments does not read
  child.stdin.end(given.input ?? '');
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

describe('the admin program', () => {
  let app: TestApp;
  let folder: string;
  beforeAll(async () => {
    const { code, stderr } = await runProgram('scripts/build.mjs', []);
    if (code !== 0) throw new Error(`The build failed: ${stderr}`);
    app = await startTestApp();
    folder = makeTestFolder();
  }, BUILD_MS);
  afterAll(async () => {
    await app.close();
    await removeTestFolder(folder);
  });

  const admin = async (argv: readonly string[], options: Parameters<typeof runProgram>[2] = {}) =>
    await runProgram('dist/src/admin/main.js', argv, options);

  /** The environment of a machine that shares the database with the running service. */
  const sharedEnvironment = () => ({
    DATABASE_URL: app.database.url,
    APP_SECRET: app.config.appSecret,
    PUBLIC_URL: app.url,
    DATA_DIR: path.join(folder, 'unused'),
  });

  it('prints its usage on stdout when asked, else on stderr with exit code 1', async () => {
    const help = await admin(['help']);
    expect(help).toEqual({ code: 0, stdout: expect.stringContaining('users set-password EMAIL'), stderr: '' });
    const unknown = await admin(['applly']);
    expect(unknown).toEqual({ code: 1, stdout: '', stderr: `There is no command "applly".\n\n${help.stdout}` });
  });

  it('provisions the database of a running service, and prints nothing but JSON', async () => {
    const file = path.join(folder, 'seed.yaml');
    writeFileSync(file, 'customers:\n  - name: Spawned\n');
    const { code, stdout } = await admin(['apply', file], { env: sharedEnvironment() });
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        customers: [{ id: expect.any(Number), name: 'Spawned' }],
        users: [],
        clients: [],
        accessKeys: [],
        identityProviders: [],
        dropsites: [],
      },
    ]);
  });

  it('prints all problems of a file on stderr and nothing on stdout', async () => {
    const input = JSON.stringify({ customers: [{ name: '' }], userss: [] });
    const { code, stdout, stderr } = await admin(['apply', '-'], { env: sharedEnvironment(), input });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('stdin has 2 problems; nothing was changed:\n  - userss: ');
  });

  it('issues a token that the running service accepts, until it disables the user', async () => {
    const user = await aUser(app);
    const { clientId } = await aClient(app);
    const { stdout } = await admin(['token', '--user', user.email, '--client', clientId], { env: sharedEnvironment() });
    const { access_token } = JSON.parse(stdout) as { access_token: string };
    expect(await works(app, access_token)).toBe(true);
    await admin(['users', 'disable', user.email], { env: sharedEnvironment() });
    expect(await works(app, access_token)).toBe(false);
  });

  it('prints the audit trail as JSON lines', async () => {
    const { stdout } = await admin(['audit'], { env: sharedEnvironment() });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(Object.keys(line)).toEqual(['at', 'action', 'actor', 'subject', 'reason']);
  });

  it('reports the missing settings in production', async () => {
    const { code, stdout, stderr } = await admin(['keys', 'rotate'], { env: { NODE_ENV: 'production' } });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('DATABASE_URL is required in production');
    expect(stderr).toContain('APP_SECRET is required in production');
  });

  it('starts the embedded database when nothing runs, and stops it again', async () => {
    const dataDir = path.join(folder, 'data');
    const first = await admin(['apply', '-'], { env: { DATA_DIR: dataDir }, input: 'customers: [{ name: Embedded }]' });
    expect([first.code, JSON.parse(first.stdout).customers]).toEqual([0, [{ id: 1, name: 'Embedded' }]]);
    expect(findPostmaster(clusterPaths(dataDir).pgData)).toBeNull();
  });

  it('does not stop an embedded database in use', async () => {
    const dataDir = path.join(folder, 'data');
    const { url, stop } = await startEmbeddedPostgres({ dataDir });
    const service = new pg.Client({ connectionString: url });
    await service.connect();
    try {
      expect((await admin(['audit'], { env: { DATA_DIR: dataDir } })).code).toBe(0);
      expect((await service.query('SELECT 1')).rowCount).toBe(1);
    } finally {
      await service.end();
      await stop();
    }
  });

  it('leaves no server running after two commands that share the embedded database', async () => {
    const dataDir = path.join(folder, 'data');
    const both = await Promise.all([1, 2].map(async () => await admin(['audit'], { env: { DATA_DIR: dataDir } })));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(findPostmaster(clusterPaths(dataDir).pgData)).toBeNull();
  });
});
