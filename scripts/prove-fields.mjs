// `node scripts/prove-fields.mjs [word…]`: does the test that docs/fields.md names for a column fail without the field? For each column it runs that
// test on a database that discards the column (test/support/database/lost-field.ts), and prints what was stored instead, which test failed first, and
// why. A word selects a table (`users`) or a column (`users.email`); the path of a test replaces the test that the page names.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const TEST_TIMEOUT_MS = 15_000; // a test that waits for a discarded field can only time out
const RUN_TIMEOUT_MS = 300_000;

/** The columns for which the page names a test. test/support/database/fields-page.ts defines the format of the page. */
const readPage = () =>
  readFileSync(path.join(root, 'docs/fields.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const table = section.slice(0, section.indexOf('\n')).trim();
      return [...section.matchAll(/^\* ([^:\n]+): `[^`]+`, `([^`]+)`$/gm)].flatMap(([, columns, test]) =>
        [...columns.matchAll(/`(\w+)`/g)].map(([, column]) => ({ field: `${table}.${column}`, test })),
      );
    });

/** Runs a test file; returns its output, its tests (scripts/test-case-reporter.mjs), and the failed ones. */
const runTest = async (test, field = '') => {
  const ring = test.split('/')[1];
  const reporter = path.join(root, 'scripts/test-case-reporter.mjs');
  const jest = ['--runTestsByPath', test, '--runInBand', `--testTimeout=${TEST_TIMEOUT_MS}`, `--reporters=${reporter}`];
  const env = { ...process.env, TEST_LOSE_FIELD: field, TEST_LOG_LEVEL: 'error', FORCE_COLOR: '0' };
  const child = spawn(process.execPath, [path.join(root, 'scripts/test.mjs'), ring, '--', ...jest], { cwd: root, env });
  const timer = setTimeout(() => child.kill('SIGTERM'), RUN_TIMEOUT_MS);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  const reported = [...output.matchAll(/^Tested (.*)$/gm)].map(([, json]) => JSON.parse(json));
  const tests = reported.filter(({ status }) => status !== 'pending');
  return { output, tests, failed: tests.filter(({ status }) => status === 'failed') };
};

/** A message on one line; for a comparison only the differences. */
const inShort = (message) => {
  const lines = message
    .split(/\n\s+at /)[0]
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^[-+] (Expected|Received) +[-+] \d/.test(line));
  const differences = lines.filter((line) => /^[-+] /.test(line));
  const words = differences.length > 0 ? [lines[0], ...differences] : lines;
  return words
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .join(' ⏎ ')
    .slice(0, 240);
};

/** Database constraints that the replacement value violated: they, and not the missing field, may have made the test fail. */
const brokenRules = (output) => [
  ...new Set(
    [
      ...output.matchAll(/violates [\w-]+ constraint \\?"\w+|null value in column|no unique or exclusion constraint|invalid input \w+/g),
    ].map(([rule]) => rule.replaceAll(/[\\"]/g, '')),
  ),
];

/** The first error that the service logged. */
const firstError = (output) => /^\{"level":[56]0.*?"message":("(?:[^"\\]|\\.)*")/m.exec(output)?.[1];

const prove = async ({ field, test }) => {
  const { output, tests, failed } = await runTest(test, field);
  const loss = new RegExp(`^Lost ${field}: (.*)$`, 'm').exec(output)?.[1];
  if (!loss) return { proven: false, verdict: 'NOT TRIED: the test does not clone the migrated template', details: [output.slice(-500)] };
  if (failed.length === 0) return { proven: false, loss, verdict: `PASSES ALL THE SAME (${tests.length} tests)`, details: [] };
  const rules = brokenRules(output);
  const details = [`${failed[0].fullName}: ${inShort(failed[0].message)}`];
  const error = firstError(output);
  if (error) details.push(`the service: ${inShort(JSON.parse(error))}`);
  if (rules.length > 0) details.push(`weak, look closer: ${rules.join(', ')}`);
  return { proven: true, weak: rules.length > 0, loss, verdict: `fails, ${failed.length} of ${tests.length} tests`, details };
};

const words = process.argv.slice(2);
const instead = words.filter((word) => word.endsWith('.spec.ts'));
const wanted = words.filter((word) => !word.endsWith('.spec.ts'));
const rows = readPage().filter(({ field }) => wanted.length === 0 || wanted.includes(field) || wanted.includes(field.split('.')[0]));
if (rows.length === 0) {
  console.error(
    'docs/fields.md has no such column with a test. Name tables or columns: `node scripts/prove-fields.mjs users access_keys.user_id`.',
  );
  process.exit(1);
}
const claims = rows.flatMap(({ field, test }) => (instead.length > 0 ? instead : [test]).map((one) => ({ field, test: one })));

const counts = { proven: 0, weak: 0, unproven: [] };
for (const test of [...new Set(claims.map((claim) => claim.test))].sort()) {
  const { tests, failed } = await runTest(test);
  const isSound = tests.length > 0 && failed.length === 0;
  console.log(`\n${test}: ${isSound ? `${tests.length} tests pass with all fields` : 'FAILS WITH ALL FIELDS, which proves nothing'}`);
  for (const { field } of claims.filter((claim) => claim.test === test)) {
    const { proven, weak, loss, verdict, details } = isSound
      ? await prove({ field, test })
      : { proven: false, verdict: 'not tried', details: [] };
    if (proven) counts.proven += 1;
    else counts.unproven.push(`${field} by ${test}`);
    if (weak) counts.weak += 1;
    console.log([`  ${field} (${loss ?? 'nothing lost'}): ${verdict}`, ...details.map((line) => `      ${line}`)].join('\n'));
  }
}

console.log(`\n${counts.proven} of ${claims.length} proven, ${counts.weak} of them weakly.`);
if (counts.unproven.length > 0) console.log(`Not proven:\n${counts.unproven.map((name) => `  ${name}`).join('\n')}`);
process.exitCode = counts.unproven.length > 0 ? 1 : 0;
