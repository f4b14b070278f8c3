import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aUser } from '../support/accounts/scenario.js';
import { startTestApp } from '../support/app/test-app.js';
import { aFormat } from '../support/converter/formats.js';
import { uploadMedia } from '../support/media/media.js';
import { tokenOf } from '../support/media/uploads.js';
import { startTestStorage } from '../support/storage/storage.js';

const root = path.resolve(import.meta.dirname, '../..');
const ofNpm = (script: string) => path.join(root, 'node_modules', script);
const LONG_MS = 240_000; // a compiler reads all of the types

const STRICT = { strict: true, target: 'es2023', module: 'nodenext' };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'media-delivery-clients-'));
  await symlink(ofNpm(''), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

/** Runs a program in the folder; what it prints. A failure shows what the program said. */
async function run(script: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, NODE_OPTIONS: '', ...env } };
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], options).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`${script} failed: ${error.stdout}${error.stderr}`);
    },
  );
  return stdout;
}

const compile = async (compilerOptions: object) => {
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  await run(ofNpm('typescript/bin/tsc'), ['-p', '.']);
};

/** Calls whose types a client depends on: a body, an answer that may be null, one of several answers, and an event. */
const PROGRAM = `import { Api, type S3SuccessEvent } from './api.js';
const api = new Api({ baseUrl: 'https://media.example.org' });
export async function use(event: S3SuccessEvent): Promise<(string | null | undefined)[]> {
  const { data: upload } = await api.v5.uploadsCreateUpload({ payload: [{ type: 'image', fileName: 'a.jpg', fileSize: 11 }] });
  const { data: customer } = await api.v5.customersGet();
  const { data: result } = await api.v5.activityJobResult({ jobId: upload.jobId });
  const role: string | null | undefined = event.payload.role;
  return [customer.burnTimecode?.fontsize?.toString(), 'processed' in result ? result.uploadId : null, role];
}
// @ts-expect-error a body without its payload
await api.v5.uploadsCreateUpload({});
`;

describe('a client generated from openapi.json compiles under strict', () => {
  it(
    'by openapi-typescript, and talks to the service',
    async () => {
      const storage = await startTestStorage();
      const app = await startTestApp(storage.settings);
      try {
        await copyFile(path.join(root, 'test/programs/generated-client.ts'), path.join(folder, 'program.ts'));
        await run(ofNpm('openapi-typescript/bin/cli.js'), [path.join(root, 'openapi.json'), '-o', 'api.ts']);
        const checks = { noUncheckedIndexedAccess: true, noUnusedLocals: true };
        await compile({ ...STRICT, ...checks, types: ['node'], outDir: 'dist', rootDir: '.' });

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
      } finally {
        await app.close();
        await storage.close();
      }
    },
    LONG_MS,
  );

  it(
    'by swagger-typescript-api, with a program that uses it',
    async () => {
      await writeFile(path.join(folder, 'program.ts'), PROGRAM);
      const options = [
        '--path',
        path.join(root, 'openapi.json'),
        '--output',
        '.',
        '--name',
        'api.ts',
        '--extract-request-params',
        '--silent',
      ];
      await run(ofNpm('swagger-typescript-api/dist/cli.mjs'), ['generate', ...options]);
      await compile({ ...STRICT, lib: ['es2023', 'dom', 'dom.iterable'], noEmit: true, types: [] });
      expect(await readdir(folder)).toContain('api.ts');
    },
    LONG_MS,
  );
});
