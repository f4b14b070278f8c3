// `npm run dev`: builds and restarts the service whenever a source changes. While a build fails, the last successful one keeps running.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const SETTLE_MS = 150; // editors save several files, and each in several steps

let service = null; // the running program
let changed = true; // there is something to build
let ending = false;
let wake = () => {};

const say = (text) => console.error(`[dev] ${text}`);

const start = (script, ...args) => spawn(process.execPath, [path.join(root, 'scripts', script), ...args], { cwd: root, stdio: 'inherit' });

const ended = (child) =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
    else child.once('exit', resolve);
  });

const stopService = async () => {
  const program = service;
  service = null;
  if (!program) return;
  program.kill('SIGTERM');
  await ended(program);
};

const startService = () => {
  const program = start('run.mjs', 'main.js');
  service = program;
  program.once('exit', (code) => {
    if (service !== program) return; // it was stopped
    service = null;
    if (!ending) say(`The service ended with code ${code}; it starts again with the next change.`);
  });
};

const noteChange = () => {
  changed = true;
  wake();
};

const change = async () => {
  while (!changed && !ending) await new Promise((resolve) => (wake = resolve));
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
};

const end = () => {
  ending = true;
  wake();
};
process.on('SIGINT', end); // Ctrl-C in the terminal reaches the service too, which shuts down gracefully
process.on('SIGTERM', end);

for (const folder of ['src', 'migrations', 'sdk/src', 'local-storage/src']) {
  watch(path.join(root, folder), { recursive: true }, (_event, file) => {
    if (!file?.endsWith('.spec.ts') && file !== 'api.ts') noteChange(); // the build writes api.ts
  });
}

while (!ending) {
  await change();
  if (ending) break;
  changed = false;
  if ((await ended(start('build.mjs'))) !== 0) {
    if (!ending) say('Waiting for the next change.');
    continue;
  }
  if (changed || ending) continue; // saved again meanwhile
  await stopService();
  if (!ending) startService();
}
await stopService();
process.exit(0);
