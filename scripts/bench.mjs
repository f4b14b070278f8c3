// `npm run bench [-- name…]`: runs bench/*.bench.mjs and prints one table of ratios, each measured within one run on this machine.
import './build.mjs';
import { readdirSync } from 'node:fs';
import { cpus } from 'node:os';

const folder = new URL('../bench/', import.meta.url);
const wanted = process.argv.slice(2);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.bench.mjs'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.startsWith(part)));

console.log(`Node ${process.version}, ${cpus().length} cores\n`);
console.log('| bench | what | per second | ratio | target |\n|---|---|---|---|---|');
let missed = 0;
for (const file of files) {
  const { run, onlyByName = false } = await import(new URL(file, folder).href);
  if (onlyByName && wanted.length === 0) continue;
  for (const { name, rate, ratio, target, note } of await run()) {
    const verdict = target === undefined ? '' : ratio >= target ? `≥ ${target} met` : `≥ ${target} MISSED`;
    if (verdict.includes('MISSED')) missed += 1;
    const shown = rate === undefined ? '' : Math.round(rate).toLocaleString('en');
    console.log(
      `| ${file.replace('.bench.mjs', '')} | ${name} | ${note ?? shown} | ${ratio === undefined ? '' : ratio.toFixed(2)} | ${verdict} |`,
    );
  }
}
process.exitCode = missed > 0 ? 1 : 0;
process.exit();
