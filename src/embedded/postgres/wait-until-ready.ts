import { setTimeout } from 'node:timers/promises';
import { StartupError } from '../../shared/errors/startup-error.js';
import type { ClusterPaths } from './cluster-paths.js';
import { findPostmaster } from './find-postmaster.js';
import { databaseUrl, probeServer } from './probe-server.js';

const POLL_EVERY_MS = 20;
/** Recovery after a crash reads at most max_wal_size again, which takes seconds, on a slow disk a minute. */
const PATIENCE_MS = 120_000;

/** A server that answers. */
export interface ReadyServer {
  readonly pid: number;
  readonly url: string;
}

/** What is waited for: the server on `paths.pgData`, until `isGone` says that it ended. */
export interface Awaited {
  readonly paths: ClusterPaths;
  readonly password: string;
  isGone(): boolean;
}

/** Waits until the server answers with our password and our data directory; null when it ended first. Throws StartupError when it takes too long. */
export async function waitUntilReady({ paths, password, isGone }: Awaited): Promise<ReadyServer | null> {
  const deadline = Date.now() + PATIENCE_MS;
  let problem = 'it opened no port';
  while (!isGone()) {
    const { pid, port } = findPostmaster(paths.pgData) ?? { pid: 0, port: null };
    const answer = port === null ? problem : await probeServer(port, password, paths);
    if (answer === null && port !== null) return { pid, url: databaseUrl(port, password) };
    problem = answer ?? problem;
    if (Date.now() > deadline)
      throw new StartupError(`PostgreSQL (process ${pid}) does not get ready: ${problem} (its log: ${paths.logFile}).`);
    await setTimeout(POLL_EVERY_MS);
  }
  return null;
}
