import type { ClusterPaths } from './cluster-paths.js';
import { findPostmaster } from './find-postmaster.js';
import { type ReadyServer, waitUntilReady } from './wait-until-ready.js';

/** Our server that still runs on a data directory, once it answers (it may just be recovering); null when none runs. Throws StartupError. */
export async function findRunningServer(paths: ClusterPaths, password: string): Promise<ReadyServer | null> {
  return waitUntilReady({ paths, password, isGone: () => findPostmaster(paths.pgData) === null });
}
