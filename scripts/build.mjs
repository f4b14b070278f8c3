// Builds dist/ with the Nest CLI when it is missing or older than its sources. Runs from `npm ci` (prepare), so that
// `npm start` has nothing to build. The result appears by one rename under a lock: two processes that find a stale build
// at the same time neither build twice nor see half a build. Output goes to stderr, because commands print JSON on stdout.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');
const stamp = path.join(dist, '.built');
const lock = path.join(root, 'dist-lock');
const LOCK_STALE_MS = 120_000; // a build takes about 10 s; an older lock belongs to a process that died

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

const acquireLock = () => {
  for (;;) {
    try {
      mkdirSync(lock);
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const age = existsSync(lock) ? Date.now() - statSync(lock).mtimeMs : 0;
      if (age > LOCK_STALE_MS) rmSync(lock, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
};

const build = () => {
  const nest = path.join(root, 'node_modules/@nestjs/cli/bin/nest.js');
  if (!existsSync(nest)) {
    // `npm ci --omit=dev`: there is no compiler, and none is needed when dist/ came along (see Dockerfile).
    if (existsSync(stamp)) return;
    console.error('Cannot build: the development dependencies are not installed. Run `npm ci` without --omit=dev once.');
    process.exit(1);
  }
  const startedAt = new Date();
  const next = `dist-next-${process.pid}`;
  const config = path.join(root, `tsconfig.build.${process.pid}.json`);
  const nestConfig = path.join(root, `nest-cli.${process.pid}.json`);
  try {
    writeFileSync(config, JSON.stringify({ extends: './tsconfig.build.json', compilerOptions: { outDir: next } }));
    writeFileSync(nestConfig, JSON.stringify(nestCliConfigFor(path.basename(config), next)));
    const result = spawnSync(process.execPath, [nest, 'build', '--config', path.basename(nestConfig)], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    });
    if (result.status !== 0) throw new Error('The build failed; its messages stand above.');
    writeFileSync(path.join(root, next, '.built'), `${startedAt.toISOString()}\n`);
    const old = `dist-old-${process.pid}`;
    if (existsSync(dist)) renameSync(dist, path.join(root, old));
    renameSync(path.join(root, next), dist);
    rmSync(path.join(root, old), { recursive: true, force: true });
  } finally {
    for (const file of [config, nestConfig, path.join(root, next)]) rmSync(file, { recursive: true, force: true });
  }
};

const nestCliConfigFor = (tsConfigPath, outDir) => {
  const config = JSON.parse(readFileSync(path.join(root, 'nest-cli.json'), 'utf8'));
  config.compilerOptions.tsConfigPath = tsConfigPath;
  for (const asset of config.compilerOptions.assets) asset.outDir = `${outDir}/src`;
  return config;
};

if (process.argv.includes('--force') || isStale()) {
  acquireLock();
  try {
    if (process.argv.includes('--force') || isStale()) build();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}
