// `node scripts/compare-nodes.mjs introspection token`: runs the named benches alternately on the installed Node and on that of the
// image, and prints one table of rates and ratios. ROUNDS sets how often each runs (default 3); the median counts, because the machine's speed varies.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const rounds = Number(process.env.ROUNDS ?? 3);
const bench = ['node', path.join(root, 'scripts/bench.mjs'), ...process.argv.slice(2)];
const nodes = [bench, ['bash', path.join(root, 'scripts/with-image-node.sh'), ...bench]];

/** The rates of one run by bench and name, and the version of Node. Missed targets do not matter here. */
const run = ([file, ...args]) => {
  const { stdout, stderr, error } = spawnSync(file, args, { cwd: root, encoding: 'utf8' });
  const rows = [...(stdout ?? '').matchAll(/^\| ([\w-]+) \| (.+?) \| ([\d,]+) \|/gm)];
  if (rows.length === 0) throw error ?? new Error(`The benches measured nothing:\n${stdout}${stderr}`);
  const rates = rows.map(([, name, what, rate]) => [`${name} | ${what}`, Number(rate.replaceAll(',', ''))]);
  return { version: /^Node (\S+),/m.exec(stdout)?.[1], rates: new Map(rates) };
};

const median = (values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];

const runs = nodes.map(() => []);
for (let round = 0; round < rounds; round += 1) for (const [index, node] of nodes.entries()) runs[index].push(run(node));

const [installed, image] = runs.map(([{ version }]) => version);
console.log(`| bench | what | ${installed} | ${image} | ratio |\n|---|---|---|---|---|`);
for (const name of runs[0][0].rates.keys()) {
  const [before, after] = runs.map((all) => median(all.map(({ rates }) => rates.get(name) ?? Number.NaN)));
  console.log(`| ${name} | ${before.toLocaleString('en')} | ${after.toLocaleString('en')} | ${(after / before).toFixed(2)} |`);
}
