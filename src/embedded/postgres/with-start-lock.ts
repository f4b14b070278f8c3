import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StartupError } from '../../shared/errors/startup-error.js';
import { isStillRunning, processStartTime } from '../../shared/processes/index.js';
import { ensureDataDir } from './data-directory.js';

const PREFIX = 'postgres.lock-';
/** A first start takes a second, crash recovery may take minutes; after this time a waiting program gives up and says why. */
const PATIENCE_MS = 150_000;

/**
 * Runs `work` while no other launcher works on the same data directory (made if missing, given to `work` without symbolic links).
 *
 * Each launcher announces itself by a file of its own name and then looks for others; two that see each other both step back.
 * Unlike one shared lock file this has no moment in which a stale lock is broken and a fresh one removed with it.
 */
export async function withStartLock<T>(dataDir: string, work: (realDataDir: string) => Promise<T>): Promise<T> {
  const name = `${PREFIX}${process.pid}-${processStartTime(process.pid)}-${randomBytes(4).toString('hex')}`;
  const realDataDir = await acquire(dataDir, name);
  try {
    return await work(realDataDir);
  } finally {
    rmSync(path.join(realDataDir, name), { force: true });
  }
}

async function acquire(dataDir: string, name: string): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const realDataDir = ensureDataDir(dataDir); // again in each round: `npm run reset` may have removed it
    const rival = findRival(realDataDir, name) ?? announce(realDataDir, name);
    if (rival === null) return realDataDir;
    if (Date.now() > deadline)
      throw new StartupError(
        `Another process works on ${realDataDir}: stop it, or remove ${path.join(realDataDir, rival)} if it is not this service.`,
      );
    await setTimeout(10 + Math.random() * 30); // random, so that two that stepped back do not meet again
  }
}

/** Writes the own lock file; with a rival at the same moment it takes it back and returns that one's. */
function announce(dataDir: string, name: string): string | null {
  const file = path.join(dataDir, name);
  writeFileSync(file, '', { mode: 0o600 });
  const rival = findRival(dataDir, name);
  if (rival !== null) rmSync(file, { force: true });
  return rival;
}

/** The lock file of another living launcher; those of dead ones are removed on the way. */
function findRival(dataDir: string, ownName: string): string | null {
  const others = readdirSync(dataDir).filter((entry) => isStartLock(entry) && entry !== ownName);
  for (const name of others) {
    if (isHeld(name)) return name;
    rmSync(path.join(dataDir, name), { force: true });
  }
  return null;
}

/** Whether a name in the data directory is a launcher's announcement. */
export function isStartLock(name: string): boolean {
  return name.startsWith(PREFIX);
}

function isHeld(name: string): boolean {
  const [pid, startTime = ''] = name.slice(PREFIX.length).split('-');
  return isStillRunning(Number(pid), startTime);
}
