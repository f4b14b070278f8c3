// What does the sandbox add to the start of a program, and how long does a worker take to detect it when it starts? Needs `npm run install:tools`.
import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { IsolationService } from '../dist/src/modules/converter/tools/isolation.service.js';
import { loadConfig } from '../dist/src/shared/config/index.js';

const ROUNDS = 100;
const PROGRAM = '/usr/bin/true';
const limits = { seconds: 60, cpuSeconds: 60, fileBytes: 2 ** 30, memoryBytes: 2 ** 32 };

export async function run() {
  const folder = mkdtempSync(path.join(tmpdir(), 'media-delivery-bench-'));
  try {
    const bare = new IsolationService(loadConfig({ CONVERTER_ISOLATION: 'none' }));
    const sandbox = new IsolationService(loadConfig({ CONVERTER_ISOLATION: 'required' }));
    const startedAt = performance.now();
    const refusal = await sandbox.refusal();
    const look = performance.now() - startedAt;
    if (refusal !== null) throw new Error(refusal);
    await sandbox.giveAway(folder);
    const commands = {
      alone: [PROGRAM],
      limited: [...(await bare.enclose({ file: PROGRAM, folder, limits })), PROGRAM],
      sandboxed: [...(await sandbox.enclose({ file: PROGRAM, folder, limits })), PROGRAM],
    };
    const times = { alone: [], limited: [], sandboxed: [] };
    for (let round = 0; round < ROUNDS; round += 1) for (const kind of Object.keys(commands)) times[kind].push(timed(commands[kind]));
    const [alone, limited, sandboxed] = Object.values(times).map((one) => one.sort((a, b) => a - b)[ROUNDS / 2]);
    return [
      { name: 'start and end of `true`, median', note: `${alone.toFixed(1)} ms`, ratio: 1 },
      { name: 'the same with limits, without a sandbox', note: `${limited.toFixed(1)} ms`, ratio: limited / alone },
      { name: 'the same in the sandbox', note: `${sandboxed.toFixed(1)} ms`, ratio: sandboxed / alone },
      { name: 'looking for the sandbox, probe included, once a process', note: `${Math.round(look)} ms` },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function timed([file, ...argv]) {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(file, argv, { env: { PATH: process.env.PATH } });
  if (status !== 0) throw new Error(String(stderr));
  return performance.now() - startedAt;
}
