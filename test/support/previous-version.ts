import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from './program.js';

/** The commit of the last released version: its processes must work beside those of this commit. It moves on with each release. */
export const PREVIOUS_VERSION = 'f5f2bb1b99c351ea04f48fc88ee90e9fac97fdad';

/** Puts the previous version into an empty folder and builds it there, which takes about 15 s. Throws when the clone does not have it. */
export function buildPreviousVersion(folder: string): void {
  const git = (args: string[]) =>
    execFileSync('git', args, { cwd: REPOSITORY, maxBuffer: 256 * 1024 ** 2, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    git(['cat-file', '-e', `${PREVIOUS_VERSION}^{commit}`]);
  } catch (cause) {
    const advice = 'This clone is shallow or no clone: run `git fetch --unshallow` (in a pipeline: check out with the whole history).';
    throw new Error(`The commit ${PREVIOUS_VERSION} of the last release is missing. ${advice}`, { cause });
  }
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-x', '-C', folder], { input: git(['archive', PREVIOUS_VERSION]) });
  if (hasPackagesOf(folder)) symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(folder, 'node_modules'));
  else run(folder, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']);
  run(folder, process.execPath, ['scripts/build.mjs']);
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean }>>;
}

/** Whether the packages of this commit include the very versions that the service in `folder` runs on. */
function hasPackagesOf(folder: string): boolean {
  const read = (root: string) => (JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lock).packages;
  const present = read(REPOSITORY);
  return Object.entries(read(folder)).every(([name, { version, dev }]) => name === '' || dev || present[name]?.version === version);
}

/** Its output is shown only if it fails. */
function run(cwd: string, file: string, args: string[]): void {
  execFileSync(file, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
}
