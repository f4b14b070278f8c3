// Builds dist/ with the Nest CLI when it is missing or older than its sources. Runs from `npm ci` (prepare), so that
// `npm start` has nothing to build. The result appears by one rename under a lock: two processes that find a stale build
// at the same time neither build twice nor see half a build. Output goes to stderr, because commands print JSON on stdout.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');
const stamp = path.join(dist, '.built');
const lock = path.join(root, 'dist-lock');
const owner = path.join(lock, 'pid');
const nest = path.join(root, 'node_modules/@nestjs/cli/bin/nest.js');
const LOCK_STALE_MS = 120_000; // a build takes about 10 s; an older lock belongs to a process that died
const POLL_MS = 200;

/** Printed without a stack. */
class BuildFailure extends Error {}

const newestUnder = (entry) => {
  const info = statSync(entry);
  if (!info.isDirectory()) return entry.endsWith('.spec.ts') ? 0 : info.mtimeMs;
  return Math.max(0, ...readdirSync(entry).map((name) => newestUnder(path.join(entry, name))));
};

const isStale = () => {
  if (!existsSync(stamp)) return true;
  const inputs = ['src', 'migrations', 'ormconfig.ts', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json', 'package.json'];
  const newest = Math.max(
    ...inputs
      .map((name) => path.join(root, name))
      .filter(existsSync)
      .map(newestUnder),
  );
  return newest > statSync(stamp).mtimeMs;
};

const isNeeded = () => process.argv.includes('--force') || isStale();

const acquireLock = () => {
  for (;;) {
    try {
      mkdirSync(lock);
      return writeFileSync(owner, String(process.pid));
    } catch (error) {
      if (error.code === 'EACCES' || error.code === 'EROFS') {
        throw new BuildFailure(
          `${dist} is missing or older than its sources, and this user cannot write there: \`npm run build\` as its owner.`,
        );
      }
      if (error.code !== 'EEXIST') throw error;
      if (isAbandoned()) rmSync(lock, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
    }
  }
};

/** Ctrl-C in the middle of a build leaves the lock behind. */
const isAbandoned = () => {
  try {
    process.kill(Number(readFileSync(owner, 'utf8')), 0);
    return false;
  } catch (error) {
    // No pid in it: its owner writes it in this moment, or died just before.
    return error.code === 'ESRCH' || (existsSync(lock) && Date.now() - statSync(lock).mtimeMs > LOCK_STALE_MS);
  }
};

const build = () => {
  if (!existsSync(nest)) {
    // `npm ci --omit=dev`: there is no compiler, and none is needed when dist/ came along (see Dockerfile).
    if (existsSync(stamp)) return;
    throw new BuildFailure('Cannot build: the development dependencies are not installed. Run `npm ci` without --omit=dev once.');
  }
  const startedAt = new Date();
  for (const name of readdirSync(root)) if (/^dist-(build|old)-\d+$/.test(name)) rmSync(path.join(root, name), { recursive: true });
  const folder = `dist-build-${process.pid}`;
  const next = `${folder}/dist`;
  mkdirSync(path.join(root, folder));
  try {
    const tsConfigPath = `${folder}/tsconfig.json`;
    writeJson(tsConfigPath, { extends: '../tsconfig.build.json', compilerOptions: { outDir: 'dist' } });
    writeJson(`${folder}/nest-cli.json`, nestCliConfig(tsConfigPath, next));
    const args = [nest, 'build', '--config', `${folder}/nest-cli.json`];
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new BuildFailure('The build failed; its messages stand above.');
    writeFileSync(path.join(root, next, '.built'), '');
    utimesSync(path.join(root, next, '.built'), startedAt, startedAt); // what was saved during the build is newer
    const old = path.join(root, `dist-old-${process.pid}`);
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(path.join(root, next), dist);
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(path.join(root, folder), { recursive: true, force: true });
  }
};

const nestCliConfig = (tsConfigPath, outDir) => {
  const config = JSON.parse(readFileSync(path.join(root, 'nest-cli.json'), 'utf8'));
  config.compilerOptions.tsConfigPath = tsConfigPath;
  for (const asset of config.compilerOptions.assets) asset.outDir = `${outDir}/src`;
  return config;
};

const writeJson = (file, content) => writeFileSync(path.join(root, file), JSON.stringify(content));

const buildWhenNeeded = () => {
  if (!isNeeded()) return;
  acquireLock();
  try {
    if (isNeeded()) build();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
};

try {
  buildWhenNeeded();
} catch (error) {
  if (!(error instanceof BuildFailure)) throw error;
  console.error(error.message);
  process.exit(1);
}
