import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { IsolationReport } from './converter-worker.entity.js';
import { runProcess } from './run-process.js';
import { SANDBOX_ID } from './sandbox.js';
import { toolEnvironment } from './tool-environment.js';
import type { ToolLimits } from './tool-run.js';

/** Node reserves far more address space than it uses. */
export const SANDBOX_PROBE_LIMITS: ToolLimits = { seconds: 20, cpuSeconds: 20, fileBytes: 1_048_576, memoryBytes: 68_719_476_736 };

/** Files about user accounts, which every machine has and no converter needs. */
const ACCOUNTS = ['/etc/passwd', '/etc/shadow'];
/** Folders in which nothing may be written. */
const SYSTEM = ['/', '/etc', '/usr/bin', '/usr/lib', '/dev'];
/** bubblewrap's own two processes, and the probe. */
const MAX_PROCESSES = 3;

/** What the probe program found out in the sandbox. */
interface Findings {
  readonly user: number;
  readonly groups: readonly number[];
  readonly environment: readonly string[];
  readonly processes: number;
  readonly read: readonly string[];
  readonly written: readonly string[];
  readonly connected: boolean;
  readonly interfaces: readonly string[];
  /** Lines of /proc/self/status by their names. */
  readonly status: Readonly<Record<string, string>>;
}

/** Whether each part of the sandbox works. */
export type ProbeReport = Omit<IsolationReport, 'limits' | 'refusal'>;

/** A program that tries what the sandbox must prevent. It runs in Node.js, which every worker has, and prints its findings. */
const PROBE = `
const fs = require('node:fs'), net = require('node:net'), os = require('node:os');
const { port, secrets, system } = JSON.parse(process.argv[1]);
const can = (tried) => { try { tried(); return true; } catch { return false; } };
fs.writeFileSync('mark', '');
const status = Object.fromEntries(fs.readFileSync('/proc/self/status', 'utf8').split('\\n').map((line) => line.split(':\\t')));
const findings = {
  user: process.getuid(), groups: process.getgroups(), environment: Object.keys(process.env),
  processes: fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length,
  read: secrets.filter((file) => can(() => fs.accessSync(file))),
  written: system.filter((folder) => can(() => fs.accessSync(folder, fs.constants.W_OK))),
  interfaces: Object.keys(os.networkInterfaces()), status,
};
const socket = net.connect({ host: '127.0.0.1', port, timeout: 2000 });
const end = (connected) => { console.log(JSON.stringify({ ...findings, connected })); process.exit(); };
socket.on('connect', () => end(true)).on('error', () => end(false)).on('timeout', () => end(false));
`;

/** How the probe is started in the sandbox. */
export interface ProbeSettings {
  readonly enclose: (folder: string) => readonly string[];
  /** Whether this process is root, so that files of the program must belong to another user outside the sandbox as well. */
  readonly isRoot: boolean;
  /** Files of the service that must be invisible. */
  readonly secrets: readonly string[];
}

/** Runs the probe. Throws an error with the last output if the sandbox cannot even be made. */
export async function probeSandbox({ enclose, isRoot, secrets }: ProbeSettings): Promise<ProbeReport> {
  const outside = await mkdtemp(path.join(tmpdir(), 'media-delivery-probe-'));
  const canary = path.join(outside, 'of-another-job');
  const folder = await mkdtemp(path.join(outside, 'own-'));
  const server = createServer((socket) => socket.destroy());
  try {
    await writeFile(canary, '');
    if (isRoot) {
      await chown(folder, SANDBOX_ID, SANDBOX_ID).catch((cause: unknown) => {
        throw new Error('root lacks the capability to change to another user', { cause });
      });
    }
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const task = { port, secrets: [canary, ...ACCOUNTS, ...secrets], system: SYSTEM };
    const findings = await run([...enclose(folder), process.execPath, '-e', PROBE, JSON.stringify(task)], folder);
    const owner = (await stat(path.join(folder, 'mark'))).uid;
    return judge(findings, folder, isRoot ? owner === SANDBOX_ID : true);
  } finally {
    server.close();
    await rm(outside, { recursive: true, force: true });
  }
}

async function run(command: readonly string[], folder: string): Promise<Findings> {
  const chunks: Buffer[] = [];
  const settings = { command, cwd: folder, env: toolEnvironment(folder), seconds: SANDBOX_PROBE_LIMITS.seconds };
  const { exit, output } = await runProcess({
    ...settings,
    consume: async (stdout) => {
      for await (const chunk of stdout) chunks.push(chunk as Buffer);
    },
  });
  const lines = output.text(folder).trim().split('\n');
  if (exit.code !== 0) throw new Error(lines.find((line) => /^\w+: |Error/.test(line)) ?? `it ended with ${exit.code ?? exit.signal}`);
  return JSON.parse(Buffer.concat(chunks).toString()) as Findings;
}

function judge(found: Findings, folder: string, isAnotherUsers: boolean): ProbeReport {
  const { status } = found;
  const allowed = new Set([...Object.keys(toolEnvironment(folder)), 'PWD']);
  const capabilities = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((name) => status[name] ?? 'unknown');
  return {
    network: !found.connected && found.interfaces.every((name) => name === 'lo'),
    processes: found.processes <= MAX_PROCESSES,
    files: found.read.length === 0 && found.written.length === 0 && found.environment.every((name) => allowed.has(name)),
    user: found.user === SANDBOX_ID && found.groups.every((group) => group === SANDBOX_ID) && isAnotherUsers,
    privileges: status.NoNewPrivs === '1' && capabilities.every((bits) => /^0+$/.test(bits)),
  };
}
