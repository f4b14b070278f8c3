// Builds what is missing or older than its sources: dist/ with the Nest CLI, and the packages that it uses: sdk/dist/, whose uploader the upload
// page uses, console/dist/, which it serves, and local-storage/dist/, which `npm start` runs. Runs from `npm ci` (prepare), so that `npm start` has nothing to build. Each result is
// put in place by one rename under a lock: two processes that find a stale build at the same time neither build twice nor see half a build.
// Output goes to stderr, because commands print JSON on stdout.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const lock = path.join(root, 'dist-lock');
const owner = path.join(lock, 'pid');
const modules = path.join(root, 'node_modules');
const LOCK_STALE_MS = 120_000; // a build takes about 10 s; an older lock belongs to a process that died
const POLL_MS = 200;

/** What the build of the SDK writes beside its sources. */
const generated = path.join(root, 'sdk/src/generated');

/** An error that is printed without its stack. */
class BuildFailure extends Error {}

const newestUnder = (entry) => {
  if (entry === generated || entry.endsWith('.spec.ts')) return 0;
  const info = statSync(entry);
  if (!info.isDirectory()) return info.mtimeMs;
  return Math.max(0, ...readdirSync(entry).map((name) => newestUnder(path.join(entry, name))));
};

/** What is built, in this order: where it goes, from what, and the programs that write it into `next`, a folder beside it. */
const products = [
  {
    dist: 'sdk/dist',
    inputs: ['openapi.json', 'sdk/package.json', 'sdk/tsconfig.json', 'sdk/tsconfig.build.json', 'sdk/generate.mjs', 'sdk/src'],
    compile: (_folder, next) => {
      run('sdk/generate.mjs');
      const tsc = ['node_modules/typescript/bin/tsc', '-p', 'sdk/tsconfig.build.json', '--outDir', next];
      // Comments are in the type declarations, where editors show them; in the code they would be a tenth of the package.
      run(...tsc, '--emitDeclarationOnly');
      run(...tsc, '--declaration', 'false', '--removeComments', '--noCheck');
    },
  },
  {
    dist: 'local-storage/dist',
    inputs: ['tsconfig.json', 'local-storage/package.json', 'local-storage/tsconfig.build.json', 'local-storage/src'],
    compile: (_folder, next) => run('node_modules/typescript/bin/tsc', '-p', 'local-storage/tsconfig.build.json', '--outDir', next),
  },
  {
    dist: 'console/dist',
    inputs: ['sdk/dist/.built', 'console/package.json', 'console/index.html', 'console/vite.config.ts', 'console/src'],
    compile: (_folder, next) =>
      run('node_modules/vite/bin/vite.js', 'build', 'console', '--outDir', path.resolve(root, next), '--emptyOutDir', '--logLevel', 'warn'),
  },
  {
    dist: 'dist',
    inputs: [
      'src',
      'migrations',
      'ormconfig.ts',
      'tsconfig.json',
      'tsconfig.build.json',
      'tsconfig.browser.json',
      'nest-cli.json',
      'package.json',
    ],
    compile: (folder, next) => {
      const tsConfigPath = `${folder}/tsconfig.json`;
      writeJson(tsConfigPath, { extends: '../tsconfig.build.json', compilerOptions: { outDir: 'dist' } });
      writeJson(`${folder}/nest-cli.json`, nestCliConfig(tsConfigPath, next));
      run('node_modules/@nestjs/cli/bin/nest.js', 'build', '--config', `${folder}/nest-cli.json`);
      // The pages' scripts in TypeScript; the Nest CLI has copied those in JavaScript. `npm run check` has checked their types.
      writeJson(`${folder}/tsconfig.browser.json`, {
        extends: '../tsconfig.browser.json',
        compilerOptions: pageOptions,
        exclude: ['../**/*.spec.ts'],
      });
      run('node_modules/typescript/bin/tsc', '-p', `${folder}/tsconfig.browser.json`);
    },
  },
];

/** Compiler options of the pages' scripts. Comments stay in the sources, so that browsers load less. */
const pageOptions = { noEmit: false, noCheck: true, removeComments: true, outDir: 'dist' };

const stampOf = ({ dist }) => path.join(root, dist, '.built');

const isStale = (product) => {
  if (!existsSync(stampOf(product))) return true;
  const sources = product.inputs.map((name) => path.join(root, name)).filter(existsSync);
  return Math.max(...sources.map(newestUnder)) > statSync(stampOf(product)).mtimeMs;
};

const isNeeded = (product) => process.argv.includes('--force') || isStale(product);

const acquireLock = () => {
  for (;;) {
    try {
      mkdirSync(lock);
      return writeFileSync(owner, String(process.pid));
    } catch (error) {
      if (error.code === 'EACCES' || error.code === 'EROFS') {
        throw new BuildFailure(
          `The build in ${root} is missing or older than its sources, and this user cannot write there: \`npm run build\` as its owner.`,
        );
      }
      if (error.code !== 'EEXIST') throw error;
      if (isAbandoned()) rmSync(lock, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
    }
  }
};

/** Ctrl-C during a build leaves the lock behind. */
const isAbandoned = () => {
  try {
    process.kill(Number(readFileSync(owner, 'utf8')), 0);
    return false;
  } catch (error) {
    // Without a pid in it: its owner is about to write it, or died before it could.
    return error.code === 'ESRCH' || (existsSync(lock) && Date.now() - statSync(lock).mtimeMs > LOCK_STALE_MS);
  }
};

const build = (product) => {
  const startedAt = new Date();
  const folder = `dist-build-${process.pid}`;
  const next = `${folder}/dist`;
  mkdirSync(path.join(root, folder));
  try {
    product.compile(folder, next);
    writeFileSync(path.join(root, next, '.built'), '');
    utimesSync(path.join(root, next, '.built'), startedAt, startedAt); // so that files saved during the build count as newer
    const [dist, old] = [path.join(root, product.dist), path.join(root, `dist-old-${process.pid}`)];
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(path.join(root, next), dist);
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(path.join(root, folder), { recursive: true, force: true });
  }
};

const run = (...command) => {
  const env = { ...process.env, NODE_ENV: 'production' }; // with another value the console would have the development build of React
  const { status } = spawnSync(process.execPath, command, { cwd: root, env, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new BuildFailure('The build failed; its messages stand above.');
};

const nestCliConfig = (tsConfigPath, outDir) => {
  const config = JSON.parse(readFileSync(path.join(root, 'nest-cli.json'), 'utf8'));
  config.compilerOptions.tsConfigPath = tsConfigPath;
  for (const asset of config.compilerOptions.assets) asset.outDir = `${outDir}/src`;
  return config;
};

const writeJson = (file, content) => writeFileSync(path.join(root, file), JSON.stringify(content));

/** `npm ci --omit=dev` leaves the compilers out. */
const hasCompilers = existsSync(path.join(modules, '@nestjs/cli'));

/**
 * Builds in a temporary copy of the sources, into which the compilers are installed. `npm ci` does so; later starts use the build that is there,
 * whatever the times of its files say after it was copied.
 */
const buildElsewhere = () => {
  if (process.env.npm_lifecycle_event !== 'prepare' && products.every((product) => existsSync(stampOf(product)))) return;
  console.error('The compilers are not installed (--omit=dev): building in a temporary folder, into which they are downloaded …');
  const copy = mkdtempSync(path.join(tmpdir(), 'media-delivery-build-'));
  const isCopied = (file) => !['node_modules', 'dist'].includes(path.basename(file));
  try {
    for (const name of ['package-lock.json', '.npmrc', 'scripts', 'sdk', 'local-storage', ...products.flatMap(({ inputs }) => inputs)]) {
      const source = path.join(root, name);
      if (existsSync(source)) cpSync(source, path.join(copy, name), { recursive: true, preserveTimestamps: true, filter: isCopied });
    }
    const npm = ['ci', '--include=dev', '--no-audit', '--no-fund'];
    const { status } = spawnSync('npm', npm, { cwd: copy, stdio: ['ignore', 2, 2] }); // its script "prepare" builds
    if (status !== 0) throw new BuildFailure('The build failed. Run `npm ci` without --omit=dev, or copy a build (see Dockerfile).');
    for (const { dist } of products) {
      rmSync(path.join(root, dist), { recursive: true, force: true });
      cpSync(path.join(copy, dist), path.join(root, dist), { recursive: true, preserveTimestamps: true });
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
};

const buildWhenNeeded = () => {
  if (!products.some(isNeeded)) return;
  if (!hasCompilers) return buildElsewhere();
  acquireLock();
  try {
    for (const name of readdirSync(root)) if (/^dist-(build|old)-\d+$/.test(name)) rmSync(path.join(root, name), { recursive: true });
    for (const product of products.filter(isNeeded)) build(product);
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
