// Sums up Jest's reports: `node .ci/summarize.mjs REPORT_DIR STEP=done STEP=failed…`. Each of these counts as one failure: a test that failed, a file that
// could not be run, a ring of which no test ran, and a failed step without a failed test (which would otherwise go unnoticed).
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const [reportDir, ...steps] = process.argv.slice(2);
const outcomes = new Map(steps.map((step) => step.split('=')));

/** The folder with the report of the ring that also ran on the Node version of the image (see .ci/run). */
const NODE_24 = 'node-24';

const ringsOfStep = {
  'npm test': ['unit', 'architecture', 'integration', 'e2e'],
  'npm run test:stress': ['stress'],
  'e2e on Node 24': ['e2e on Node 24'],
  'npm run test:browser': ['browser'],
  'npm run test:external': ['external'],
};
const ran = [...outcomes.keys()].flatMap((step) => ringsOfStep[step] ?? []);
const rings = new Map(ran.map((name) => [name, { passed: 0, failed: 0, skipped: 0 }]));
const problems = [];
/** Tests that failed and then passed (test/support/retries.ts). */
const repeated = [];

/** A ring's tests are in test/RING, or imported by a group in .tmp/test-groups/RING (scripts/test-groups.mjs). */
const ringOf = (file) => {
  const folder = /^(?:test|\.tmp\/test-groups)\/([^/]+)/.exec(file)?.[1];
  if (folder === undefined) return 'unit';
  return rings.has(folder) ? folder : 'architecture';
};

const suffixOf = (report) => (path.dirname(report) === NODE_24 ? ' on Node 24' : '');

const fail = (name, problem) => {
  rings.get(name).failed += 1;
  problems.push(problem);
};

const count = ({ name, status, assertionResults }, suffix) => {
  const file = path.relative(root, name);
  const ring = ringOf(file) + suffix;
  for (const test of assertionResults) {
    if (test.status === 'passed' && test.invocations > 1) repeated.push(`${file}${suffix}: ${test.fullName}`);
    if (test.status === 'passed') rings.get(ring).passed += 1;
    else if (test.status === 'failed') fail(ring, `${file}${suffix}: ${test.fullName}`);
    else rings.get(ring).skipped += 1;
  }
  if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) fail(ring, `${file}${suffix}: could not be run`);
};

for (const report of readdirSync(reportDir, { recursive: true }).filter((name) => name.endsWith('.json'))) {
  for (const result of JSON.parse(readFileSync(path.join(reportDir, report), 'utf8')).testResults) count(result, suffixOf(report));
}
for (const [name, ring] of rings) if (ring.passed + ring.failed === 0) fail(name, `${name}: no test of this ring ran`);

const sum = (what, names = [...rings.keys()]) => names.reduce((total, name) => total + rings.get(name)[what], 0);
const failedSteps = [...outcomes].flatMap(([step, outcome]) => (outcome === 'failed' ? [step] : []));
const unseen = failedSteps.filter((step) => sum('failed', ringsOfStep[step] ?? []) === 0);
problems.push(...unseen);

for (const [name, { passed, failed, skipped }] of rings) console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
for (const test of repeated) console.log(`PASSED THE SECOND TIME ${test}`);
for (const problem of problems) console.log(`FAILED ${problem}`);
const failed = sum('failed') + unseen.length;
console.log(`${sum('passed')} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
