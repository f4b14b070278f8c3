/** Settings for a database beside the service on one small machine; on the command line, so that an update of the service reaches old data. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200', // several processes with pools, workers and tests
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  max_parallel_workers_per_gather: '0', // parallel queries need /dev/shm, of which containers have little
  jit: 'off',
  log_checkpoints: 'off', // nobody rotates this log
};

/** For test runs: a kill loses the last commits, a crash of the machine may lose everything. */
const notDurable = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** The server's arguments for one data directory, which is an absolute path. */
export function serverArguments(pgData: string, port: number, durable: boolean): string[] {
  const all = { ...settings, port: String(port), ...(durable ? {} : notDurable) };
  return ['-D', pgData, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
