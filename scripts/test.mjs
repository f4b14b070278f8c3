// Runs tests: `node scripts/test.mjs WHAT… [JEST ARGUMENTS]`, for example `node scripts/test.mjs unit e2e` or `npm test -- authorize -t "signs in"`.
// WHAT is any number of rings (the projects of jest.config.mjs) and `main`, the e2e specs of the modules' main paths, or one of these:
//   walk      the browser specs that every change must pass
//   changed   the specs of other rings that the change touches (test/landing.mjs) and that neither `npm test` nor `walk` runs: those that differ from
//             the last release, or from a commit that is given. --list only names them. --seconds=N runs those for which there is time, on a machine
//             on which `npm test` took --tested=N seconds, and names the others.
//   all       all rings, one after the other
// With TEST_REPORT_DIR it writes Jest's reports there as JSON, for .ci/run.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import config from '../jest.config.mjs';
import { SECONDS } from '../test/landing.mjs';
import { changedFiles, chooseFitting, mainSpecs, specsOf, touchedSpecs, walkSpecs } from './select-specs.mjs';
import { writeGroups } from './test-groups.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const reportDir = process.env.TEST_REPORT_DIR ? path.resolve(process.env.TEST_REPORT_DIR) : null;
if (reportDir) mkdirSync(reportDir, { recursive: true });

const known = [...config.projects.map(({ displayName }) => displayName), 'main', 'walk', 'changed', 'all'];
const words = process.argv.slice(2);
const end = words.findIndex((word) => !known.includes(word));
const names = end === -1 ? words : words.slice(0, end);
const rest = end === -1 ? [] : words.slice(words[end] === '--' ? end + 1 : end);

// Ctrl-C in the terminal reaches Jest too; SIGTERM is passed on, so that Jest does not outlive this process. After either, no further run starts.
let child = null;
let isStopped = false;
process.on('SIGINT', () => {
  isStopped = true;
});
process.on('SIGTERM', () => {
  isStopped = true;
  child?.kill('SIGTERM');
});

if (names.length === 0) {
  console.error(`Name what to run: ${known.join(', ')}.`);
  process.exitCode = 1;
} else if (names[0] === 'changed') {
  await runChanged();
} else if (names[0] === 'all') {
  for (const rings of [['unit', 'integration', 'e2e', 'architecture'], ['browser'], ['external'], ['stress']])
    await runSpecs(wholeRings(rings), rest);
} else {
  await runNamed();
}

/** Rings, `main` and `walk`, in one run of Jest. A pattern chooses among all files, each of which then runs by itself. */
async function runNamed() {
  const files = wholeRings(names.filter((name) => name !== 'main' && name !== 'walk'));
  if (names.includes('main')) files.e2e ??= mainSpecs();
  if (names.includes('walk')) files.browser ??= walkSpecs();
  const hasPattern = rest.some((word) => !word.startsWith('-'));
  if (hasPattern && names.includes('main')) files.integration ??= [];
  if (hasPattern) await runJest(Object.keys(files), rest);
  else await runSpecs(files, rest);
}

function wholeRings(rings) {
  return Object.fromEntries(rings.map((ring) => [ring, specsOf(ring)]));
}

async function runChanged() {
  const { values, positionals } = parseArgs({
    args: rest,
    allowPositionals: true,
    options: { list: { type: 'boolean' }, seconds: { type: 'string', default: 'Infinity' }, tested: { type: 'string', default: '0' } },
  });
  const changed = changedFiles(positionals[0]);
  if (!changed) console.log('The history does not show the last release, so everything counts as changed.');
  const slowness = Math.max(1, Number(values.tested) / SECONDS['npm test']);
  let expected = 0;
  const left = [];
  for (const specs of touchedSpecs(changed)) {
    const seconds = (Number(values.seconds) - process.uptime()) / slowness - (values.list ? expected : 0);
    const { fitting, needed } = chooseFitting(specs, seconds);
    left.push(...specs.slice(fitting.length));
    expected += needed;
    if (values.list) for (const { file } of fitting) console.log(file);
    else if (fitting.length > 0) await runSpecs(filesByRing(fitting));
  }
  if (values.list) for (const { file } of left) console.log(`Left for .ci/run all: ${file}`);
  if (values.list) console.log(`About ${Math.round(expected)} s on two idle cores.`);
  if (reportDir) writeFileSync(path.join(reportDir, 'left.txt'), left.map(({ file }) => `${file}\n`).join(''));
}

function filesByRing(specs) {
  const rings = [...new Set(specs.map(({ ring }) => ring))];
  return Object.fromEntries(rings.map((name) => [name, specs.filter(({ ring }) => ring === name).map(({ file }) => file)]));
}

/** Runs the named test files of each ring, in groups (scripts/test-groups.mjs). */
async function runSpecs(files, args = []) {
  const rings = Object.keys(files);
  for (const ring of rings) writeGroups(ring, files[ring]);
  // The rings of `npm test` start few programs that occupy a core, so one process more than in jest.config.mjs makes them faster. In the browser ring
  // each process runs the service and a Chromium that plays and draws without a graphics card: a third one makes pages wait for each other.
  let processes = [];
  if (rings.includes('e2e')) processes = ['--maxWorkers=4'];
  else if (rings.includes('browser')) processes = ['--maxWorkers=2'];
  await runJest(rings, [...processes, ...args], { TEST_GROUPS: 'true' });
}

async function runJest(rings, args, environment = {}) {
  if (isStopped) return;
  const report = reportDir ? ['--json', `--outputFile=${path.join(reportDir, `${rings.join('-')}.json`)}`] : [];
  // Flags instead of NODE_OPTIONS: Jest passes them on to its own workers, but programs that tests start do not get them.
  // Jest needs the first one for ES modules; the second one hides the warning about it that Node prints in every process.
  // With a larger young generation (in MiB) the modules of a test file are freed as soon as it ends, without being moved to the old one first.
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', '--max-semi-space-size=64'];
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  // The rings come last: Jest treats every word after --selectProjects as a project.
  child = spawn(process.execPath, [...flags, jest, ...args, ...report, '--selectProjects', ...rings], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
  if (code !== 0) process.exitCode = code ?? 1; // null: ended by a signal
}
