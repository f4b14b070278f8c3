import type { ChildProcess } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { StartupError } from '../../shared/errors/startup-error.js';
import type { ClusterPaths } from './cluster-paths.js';
import type { Binaries } from './find-binaries.js';
import { findFreePort } from './find-free-port.js';
import { removeForeignPostmasterFile } from './find-postmaster.js';
import { readLastPort } from './last-port.js';
import { notRunnable, spawnAs } from './run-program.js';
import { openServerLog } from './server-log.js';
import { serverArguments } from './server-settings.js';
import type { ServerUser } from './server-user.js';
import { type Awaited, type ReadyServer, waitUntilReady } from './wait-until-ready.js';

/** After a kill -9 the main process's children end within a second or two and hold the shared memory until then. */
const RETRY_FOR_MS = 15_000;
const RETRY_EVERY_MS = 250;
/** Also the chosen port may have been taken in the moment between. */
const WORTH_A_RETRY = /lock file .* already exists|shared memory block|could not create any TCP\/IP sockets/;

/** A server to start on existing data. */
export interface Launch {
  readonly paths: ClusterPaths;
  readonly binaries: Binaries;
  readonly user: ServerUser;
  readonly password: string;
  readonly durable: boolean;
}

/** Starts the server in a process group of its own and waits until it answers. Throws StartupError with the server's own reason. */
export async function launchServer(launch: Launch): Promise<ReadyServer> {
  const deadline = Date.now() + RETRY_FOR_MS;
  for (;;) {
    removeForeignPostmasterFile(launch.paths.pgData);
    const result = await launchOnce(launch);
    if (typeof result !== 'string') return result;
    if (!WORTH_A_RETRY.test(result) || Date.now() > deadline) {
      throw new StartupError(`PostgreSQL did not start: ${result} (its log: ${launch.paths.logFile})`);
    }
    await setTimeout(RETRY_EVERY_MS);
  }
}

/** The server, or the reason why it ended. */
async function launchOnce({ paths, binaries, user, password, durable }: Launch): Promise<ReadyServer | string> {
  const log = openServerLog(paths.logFile);
  try {
    // The port of the last time, if it is free: the connections of a program that outlived the server find the new one.
    const port = await findFreePort(readLastPort(paths.pgData));
    const command = { file: binaries.postgres, args: serverArguments(paths.pgData, port, durable) };
    // Detached: Ctrl-C in the terminal is for the service, which then stops the server after its last query.
    const child = spawnAs(user, command, { stdio: ['ignore', log.fd, log.fd], detached: true });
    child.unref();
    const server = await waitOrInterrupt(child, { paths, password, isGone: watchEnd(child, command.file) });
    return server ?? log.readReason();
  } finally {
    log.close();
  }
}

/** A server that nobody can use (a wrong password, a recovery without end) is not left behind. */
async function waitOrInterrupt(child: ChildProcess, awaited: Awaited): Promise<ReadyServer | null> {
  try {
    return await waitUntilReady(awaited);
  } catch (error) {
    child.kill('SIGINT');
    throw error;
  }
}

/** A function that says whether the process ended, and throws StartupError if it could not be started. */
function watchEnd(child: ChildProcess, file: string): () => boolean {
  let failure: unknown;
  child.once('error', (error) => {
    failure = error;
  });
  return () => {
    if (failure !== undefined) throw notRunnable(file, failure);
    return child.exitCode !== null || child.signalCode !== null;
  };
}
