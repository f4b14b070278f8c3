import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aFormat } from '../support/formats.js';
import { uploadMedia } from '../support/media.js';
import { aUser } from '../support/scenario.js';
import { startTestStorage, type TestStorage } from '../support/storage.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { tokenOf } from '../support/uploads.js';

const root = path.resolve(import.meta.dirname, '../..');
const COMPILER_OPTIONS = {
  ...{ target: 'es2023', module: 'nodenext', types: ['node'], outDir: 'dist', rootDir: '.' },
  ...{ strict: true, noUncheckedIndexedAccess: true, noUnusedLocals: true },
};

describe('a client whose types are generated from openapi.json', () => {
  let folder: string;
  let storage: TestStorage;
  let app: TestApp;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'media-delivery-client-'));
    storage = await startTestStorage();
    app = await startTestApp(storage.settings);
  });
  afterAll(async () => {
    await app?.close();
    await storage?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a program of npm in the folder; what it prints. A failure shows what the program said. */
  const run = async (script: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> => {
    const options = { cwd: folder, env: { ...process.env, NODE_OPTIONS: '', ...env } };
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], options).catch(
      (error: { stdout: string; stderr: string }) => {
        throw new Error(`${script} failed: ${error.stdout}${error.stderr}`);
      },
    );
    return stdout;
  };
  const ofNpm = (script: string) => path.join(root, 'node_modules', script);

  it('compiles under strict and talks to the service', async () => {
    await symlink(ofNpm(''), path.join(folder, 'node_modules'));
    await copyFile(path.join(root, 'test/programs/generated-client.ts'), path.join(folder, 'program.ts'));
    await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['program.ts'] }));
    await run(ofNpm('openapi-typescript/bin/cli.js'), [path.join(root, 'openapi.json'), '-o', 'api.ts']);
    await run(ofNpm('typescript/bin/tsc'), ['-p', '.']);

    const user = await aUser(app, { adminLevel: 9 });
    const token = await tokenOf(app, user);
    const { id } = await uploadMedia(app, token, {
      ...{ type: 'video', fileName: 'film.mp4', originalFileExtension: 'mp4' },
      metadata: [{ title: 'author', content: 'Grace Hopper' }],
    });
    const format = await aFormat(app, token);
    const env = { SERVICE: app.url, TOKEN: token, MEDIA_CONTAINER_ID: String(id), FORMAT_ID: String(format.id) };
    expect(JSON.parse(await run('dist/program.js', [], env))).toEqual({
      upload: { bucket: storage.address.bucket, errors: 0, prepared: 'Ada Lovelace' },
      transcoding: 0,
      releases: ['May we print it?', null],
      fontsize: '24',
      license: null,
      author: 'Grace Hopper',
      mediaTypes: ['video'],
      audience: [app.url],
      userId: user.id,
      subscriptions: 0,
      refusal: 'not_found',
    });
  }, 240_000);
});
