// How long from `npm start` to the banner, with an empty and with an existing data directory?
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, root, startFlags, startProgram } from './support/processes.mjs';

export async function run() {
  const folder = mkdtempSync(path.join(tmpdir(), 'media-delivery-bench-'));
  const times = [];
  try {
    for (let round = 0; round < 4; round += 1) {
      const env = { PORT: String(await freePort()), STORAGE_PORT: '0', DATA_DIR: path.join(folder, 'data') };
      const startedAt = Date.now();
      const program = await startProgram(path.join(root, 'scripts/run.mjs'), {
        flags: startFlags,
        args: ['main.js'],
        env,
        ready: /Ctrl-C stops/,
      });
      times.push((Date.now() - startedAt) / 1000);
      await program.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const [first, ...warm] = times;
  const median = warm.sort((a, b) => a - b)[1];
  return [
    { name: 'first start, to the banner', note: `${first.toFixed(2)} s` },
    { name: 'warm start, to the banner, median of 3', note: `${median.toFixed(2)} s (target under 3 s)` },
  ];
}
