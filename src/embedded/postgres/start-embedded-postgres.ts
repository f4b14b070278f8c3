import { type ClusterPaths, clusterPaths, readOrMakePassword } from './data-directory.js';
import { findBinaries, linkLibraries } from './find-binaries.js';
import { hasUsableData, initCluster } from './init-cluster.js';
import { launchServer } from './launch-server.js';
import { stopServer } from './postmaster.js';
import { chooseServerUser, giveTo } from './server-user.js';
import { toStartupError } from './to-startup-error.js';
import type { ReadyServer } from './wait-until-ready.js';
import { findRunningServer } from './wait-until-ready.js';
import { withStartLock } from './with-start-lock.js';

/** A running PostgreSQL of our own. It outlives this process unless it is stopped. */
export interface EmbeddedPostgres {
  /** postgres://platform:<password>@127.0.0.1:<port>/platform, a superuser */
  readonly url: string;
  /** It ran already, started by another process, which may still use it (see countOtherClients). */
  readonly adopted: boolean;
  /** Stops the server, also an adopted one, and returns when its process is gone. Throws when it does not end within a minute. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The service's DATA_DIR; made if missing. */
  readonly dataDir: string;
  /** Receives a line of text for what takes longer than usual. */
  readonly log?: (line: string) => void;
  /** False for test runs: quicker, but what was committed may be lost in a crash. Default true. */
  readonly durable?: boolean;
}

/** Starts, or adopts, the PostgreSQL of a data directory and returns when it answers. Throws StartupError with what the operator can do. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    return await withStartLock(options.dataDir, (dataDir) => adoptOrLaunch(clusterPaths(dataDir), options));
  } catch (error) {
    throw toStartupError(error, options.dataDir);
  }
}

async function adoptOrLaunch(paths: ClusterPaths, { log, durable = true }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const binaries = findBinaries();
  const hasData = hasUsableData(paths.pgData, binaries.major);
  const password = readOrMakePassword(paths);
  const running = await findRunningServer(paths, password);
  if (running !== null) return handle(running, paths, true);
  linkLibraries(binaries);
  const user = chooseServerUser(paths, binaries);
  const cluster = { paths, binaries, user, password, durable };
  if (hasData) giveTo(user, paths.pgData);
  else {
    log?.(`Making the database in ${paths.pgData} (first start)`);
    await initCluster(cluster);
  }
  return handle(await launchServer(cluster), paths, false);
}

function handle({ url, pid }: ReadyServer, paths: ClusterPaths, adopted: boolean): EmbeddedPostgres {
  return { url, adopted, stop: () => stopServer(paths, pid) };
}
