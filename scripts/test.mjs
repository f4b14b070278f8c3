// Runs rings of tests (the projects of jest.config.mjs): `node scripts/test.mjs unit e2e`. Jest gets the arguments after the rings:
// `npm test -- authorize -t "signs in"`. With TEST_REPORT_DIR it writes Jest's report there as JSON, for .ci/run.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import config from '../jest.config.mjs';
import { writeGroups } from './test-groups.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const known = config.projects.map(({ displayName }) => displayName);

const words = process.argv.slice(2);
const end = words.findIndex((word) => !known.includes(word));
const rings = end === -1 ? words : words.slice(0, end);
const rest = end === -1 ? [] : words.slice(words[end] === '--' ? end + 1 : end);

if (rings.length === 0) {
  console.error(`Name at least one ring of tests: ${known.join(', ')}.`);
  process.exit(1);
}

const reportDir = process.env.TEST_REPORT_DIR ? path.resolve(process.env.TEST_REPORT_DIR) : null;
if (reportDir) mkdirSync(reportDir, { recursive: true });
const report = reportDir ? ['--json', `--outputFile=${path.join(reportDir, `${rings.join('-')}.json`)}`] : [];

// The number of groups of a ring: one for each of Jest's processes if the tests load the service, because loading is most of the work.
const groups = { unit: 2, integration: 4, e2e: 4, stress: 4, browser: 2, external: 3 };
const hasPattern = rest.some((word) => !word.startsWith('-'));
if (!hasPattern) for (const name of rings) if (groups[name]) writeGroups(root, name, groups[name]);

// The rings of `npm test` start few programs that occupy a core, so one process more than in jest.config.mjs makes them faster. In the browser ring
// each process runs the service and a Chromium that plays and draws without a graphics card: a third one makes pages wait for each other.
let processes = [];
if (!hasPattern && rings.includes('e2e')) processes = ['--maxWorkers=4'];
else if (rings.includes('browser')) processes = ['--maxWorkers=2'];

// Flags instead of NODE_OPTIONS: Jest passes them on to its own workers, but programs that tests start do not get them.
// Jest needs the first one for ES modules; the second one hides the warning about it that Node prints in every process.
// With a larger young generation (in MiB) the modules of a test file are freed as soon as it ends, without being moved to the old one first.
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', '--max-semi-space-size=64'];
const jest = path.join(root, 'node_modules/jest/bin/jest.js');
// The rings come last: Jest treats every word after --selectProjects as a project.
const child = spawn(process.execPath, [...flags, jest, ...processes, ...rest, ...report, '--selectProjects', ...rings], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TEST_GROUPS: String(!hasPattern) },
});

// Ctrl-C in the terminal reaches Jest too; SIGTERM is passed on, so that Jest does not outlive this process.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('error', (error) => {
  console.error(`Jest could not be started: ${error.message}`);
  process.exitCode = 1;
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1; // null: ended by a signal
});
