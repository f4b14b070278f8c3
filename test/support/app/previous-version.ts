import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from './program.js';

/** What stood before CHANGELOG.md had versions. */
const BEFORE_VERSIONS = 'f5f2bb1b99c351ea04f48fc88ee90e9fac97fdad';

/** Puts the previous version into an empty folder and builds it there, which takes about 15 s. Throws when the clone does not have it. */
export function buildPreviousVersion(folder: string): void {
  const commit = findPreviousVersion();
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) });
  if (hasPackagesOf(folder)) linkPackages(folder);
  else run(folder, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']);
  run(folder, process.execPath, ['scripts/build.mjs']);
}

/**
 * The commit that entered the newest version into CHANGELOG.md, or the one before it if that is this commit. Its processes must work beside
 * those of this commit.
 */
function findPreviousVersion(): string {
  const advice = 'This clone is shallow or no clone: run `git fetch --unshallow` (in a pipeline: check out with the whole history).';
  try {
    if (git('rev-parse', '--is-shallow-repository').toString().trim() === 'true') throw new Error('The history is missing.');
    const head = git('rev-parse', 'HEAD').toString().trim();
    const headings = git('show', 'HEAD:CHANGELOG.md').toString().match(VERSION_HEADINGS) ?? [];
    const commits = headings.map((heading) => git('log', '--reverse', '--format=%H', `-S${heading}`, '--', 'CHANGELOG.md').toString());
    const previous = commits.map((lines) => lines.slice(0, head.length)).find((commit) => commit !== '' && commit !== head);
    const commit = previous ?? BEFORE_VERSIONS;
    git('cat-file', '-e', `${commit}^{commit}`);
    return commit;
  } catch (cause) {
    throw new Error(`The last version cannot be found. ${advice}`, { cause });
  }
}
/** `## [1.0.0]`, the newest first. */
const VERSION_HEADINGS = /^## \[\d+\.\d+\.\d+\]/gm;

function git(...args: string[]): Buffer {
  return execFileSync('git', args, { cwd: REPOSITORY, maxBuffer: 256 * 1024 ** 2, stdio: ['ignore', 'pipe', 'pipe'] });
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

/** Its packages are those of this clone, some of which npm installs into the folder of the workspace that needs them. */
function linkPackages(folder: string): void {
  for (const workspace of ['', 'console', 'sdk', 'local-storage']) {
    const packages = path.join(REPOSITORY, workspace, 'node_modules');
    if (existsSync(packages)) symlinkSync(packages, path.join(folder, workspace, 'node_modules'));
  }
}

/** Its output is shown only if it fails. */
function run(cwd: string, file: string, args: string[]): void {
  execFileSync(file, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
}
