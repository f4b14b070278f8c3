import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StartupError } from '../../shared/errors/startup-error.js';
import type { Announcement } from './main.js';

/** Beyond this a process that should end is killed. */
const END_WITHIN_MS = 5_000;

/** A storage in a process of its own. */
export interface SpawnedServer {
  readonly endpoint: string;
  readonly gone: Promise<void>;
  stop(): Promise<void>;
}

export interface ServerPlace {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
}

/**
 * Starts the storage in a process of its own, so that hashing gigabytes holds up nobody else. It ends with this process.
 * @throws StartupError with what the operator can do
 */
export async function spawnServer({ dataDir, host, port }: ServerPlace): Promise<SpawnedServer> {
  const program = fileURLToPath(new URL('./main.js', import.meta.url));
  const child = spawn(process.execPath, [program, dataDir, host, String(port)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const endpoint = await announcedBy(child);
  child.unref(); // a finished command ends, and the storage with it
  child.channel?.unref();
  return { endpoint, gone, stop: () => stop(child, gone) };
}

async function announcedBy(child: ChildProcess): Promise<string> {
  return await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => {
      const announcement = message as Announcement;
      if ('endpoint' in announcement) resolve(announcement.endpoint);
      else reject(new StartupError(announcement.problem));
    });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`The local object storage ended (${signal ?? `code ${code}`}) before it listened.`)),
    );
  });
}

async function stop(child: ChildProcess, gone: Promise<void>): Promise<void> {
  child.ref();
  const killing = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
  child.kill('SIGTERM');
  await gone;
  clearTimeout(killing);
}
