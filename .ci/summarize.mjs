// Sums up Jest's reports: `node .ci/summarize.mjs REPORT_DIR STEP=done STEP=failed…`. The reports of a step are in the folder of its name. Each of these
// counts as one failure: a test that failed, a file that could not be run, a ring of which no test ran, and a failed step without a failed test (which
// would otherwise go unnoticed).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const [reportDir, ...outcomes] = process.argv.slice(2);

/** The rings that each step must run; `npm run test:changed` runs what the change touches. */
const ringsOfStep = {
  'npm test': ['unit', 'architecture', 'e2e'],
  'browser walk': ['browser'],
  'unit, integration, e2e and architecture': ['unit', 'architecture', 'integration', 'e2e'],
  browser: ['browser'],
  stress: ['stress'],
  external: ['external'],
  'e2e on Node 24': ['e2e on Node 24'],
};

const rings = new Map();
const problems = [];
/** Tests that failed and then passed (test/support/retries.ts). */
const repeated = [];
/** The specs for which a landing had no time. */
const left = [];

/** A ring's tests are in test/RING, or imported by a group in .tmp/test-groups/RING (scripts/test-groups.mjs). */
function ringOf(file, step) {
  if (/^test\/architecture/.test(file)) return 'architecture';
  const ring =
    /^(?:test|\.tmp\/test-groups)\/([^/]+)\//.exec(file)?.[1] ?? (file.startsWith('local-storage/test/') ? 'integration' : 'unit');
  return step.endsWith(' on Node 24') ? `${ring} on Node 24` : ring;
}

function ringNamed(name) {
  if (!rings.has(name)) rings.set(name, { passed: 0, failed: 0, skipped: 0 });
  return rings.get(name);
}

/** Counts the tests of a report, and returns how many failures it has. */
function count({ name, status, assertionResults }, step) {
  const file = path.relative(root, name);
  const ring = ringNamed(ringOf(file, step));
  const failures = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
  if (status === 'failed' && failures.length === 0) failures.push('could not be run');
  for (const test of assertionResults) {
    if (test.status === 'passed' && test.invocations > 1) repeated.push(`${file}: ${test.fullName}`);
    if (test.status === 'passed') ring.passed += 1;
    else if (test.status !== 'failed') ring.skipped += 1;
  }
  ring.failed += failures.length;
  problems.push(...failures.map((failure) => `${file} (${step}): ${failure}`));
  return failures.length;
}

function readStep(step) {
  const folder = path.join(reportDir, step);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  if (files.includes('left.txt')) left.push(...readFileSync(path.join(folder, 'left.txt'), 'utf8').split('\n').filter(Boolean));
  const reports = files.filter((file) => file.endsWith('.json')).map((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')));
  return reports.flatMap(({ testResults }) => testResults).reduce((failures, result) => failures + count(result, step), 0);
}

let unseen = 0;
for (const [step, outcome] of outcomes.map((word) => word.split('='))) {
  let failures = readStep(step);
  for (const name of ringsOfStep[step] ?? []) {
    const ring = ringNamed(name);
    if (ring.passed + ring.failed > 0) continue;
    ring.failed += 1;
    failures += 1;
    problems.push(`${name}: no test of this ring ran`);
  }
  if (outcome === 'done' || failures > 0) continue;
  unseen += 1;
  problems.push(step);
}

for (const [name, { passed, failed, skipped }] of rings) console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
if (left.length > 0) console.log(`No time was left for ${left.length} specs that the change touches; they are left for .ci/run all:`);
for (const file of left) console.log(`  ${file}`);
for (const test of repeated) console.log(`PASSED THE SECOND TIME ${test}`);
for (const problem of problems) console.log(`FAILED ${problem}`);
const sum = (what) => [...rings.values()].reduce((total, ring) => total + ring[what], 0);
const failed = sum('failed') + unseen;
console.log(`${sum('passed')} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
