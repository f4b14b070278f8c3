import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');
const COMPILER_OPTIONS = {
  strict: true,
  target: 'es2023',
  module: 'nodenext',
  lib: ['es2023', 'dom', 'dom.iterable'],
  noEmit: true,
  types: [],
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

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'media-delivery-clients-'));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const run = async (script: string, args: readonly string[]) =>
  await promisify(execFile)(process.execPath, [path.join(root, 'node_modules', script), ...args], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '' },
  }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`${script} failed: ${stdout}${stderr}`);
  });

it('swagger-typescript-api generates a client that compiles under strict, with a program that uses it', async () => {
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['program.ts'] }));
  await writeFile(path.join(folder, 'program.ts'), PROGRAM);
  const options = ['--path', path.join(root, 'openapi.json'), '--output', '.', '--name', 'api.ts', '--extract-request-params', '--silent'];
  await run('swagger-typescript-api/dist/cli.mjs', ['generate', ...options]);
  await run('typescript/bin/tsc', ['-p', '.']);
  expect(await readdir(folder)).toContain('api.ts');
}, 120_000);
