// Measured servers run as separate processes, so that the load generator does not share their event loop.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A free port below the range from which the system chooses ports for connections and for port 0 (on Linux from 32,768). */
export async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    const isFree = await new Promise((resolve) =>
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Node's flags in the script `start` of package.json. */
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
export const startFlags = scripts.start.split(' ').filter((word) => word.startsWith('--'));

/** Starts a Node program and resolves when a line of its output matches. */
export async function startProgram(file, { env = {}, flags = [], args = [], ready }) {
  const child = spawn(process.execPath, [...flags, file, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  await new Promise((resolve, reject) => {
    const hear = (chunk) => {
      output += chunk;
      if (ready.test(output)) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`${file} ended with code ${code}:\n${output}`)));
  });
  child.stdout.removeAllListeners('data').resume();
  child.stderr.removeAllListeners('data').resume();
  return {
    output,
    pid: child.pid,
    stop: async () => {
      child.removeAllListeners('exit');
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
    },
  };
}

/** The service as `npm start` runs it, with a separate data directory, without rate limits, and logging only warnings. */
export async function startService(env = {}) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'media-delivery-bench-'));
  const port = await freePort();
  const program = await startProgram(path.join(root, 'dist/src/main.js'), {
    flags: startFlags,
    env: { PORT: String(port), STORAGE_PORT: '0', DATA_DIR: path.join(dataDir, 'data'), RATE_LIMIT: 'off', LOG_LEVEL: 'warn', ...env },
    ready: /Ctrl-C stops/,
  });
  const [, email] = /E-mail:\s+(\S+)/.exec(program.output);
  const [, password] = /Password:\s+(\S+)/.exec(program.output);
  return {
    url: `http://localhost:${port}`,
    login: { email, password },
    dataDir: path.join(dataDir, 'data'),
    pid: program.pid,
    stop: async () => {
      await program.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
