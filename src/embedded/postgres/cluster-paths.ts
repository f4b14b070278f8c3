import path from 'node:path';

/** Where the embedded PostgreSQL keeps its things below the service's data directory. All paths are absolute. */
export interface ClusterPaths {
  readonly dataDir: string;
  readonly pgData: string;
  readonly passwordFile: string;
  readonly logFile: string;
}

/** The paths of one cluster; `dataDir` is absolute and free of symbolic links (see ensureDataDir). */
export function clusterPaths(dataDir: string): ClusterPaths {
  return {
    dataDir,
    pgData: path.join(dataDir, 'postgres'),
    passwordFile: path.join(dataDir, 'postgres-password'),
    logFile: path.join(dataDir, 'postgres.log'),
  };
}
