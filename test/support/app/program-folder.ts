import path from 'node:path';
import { afterEach, beforeAll, beforeEach } from '@jest/globals';
import { findPostmaster } from '../../../src/embedded/postgres/postmaster.js';
import { BUILD_MS, buildProgram } from './clone.js';
import { processesOf } from './program.js';
import { makeTestFolder, removeTestFolder } from './test-cluster.js';

/** The data directory of the current test, and the pid of the PostgreSQL that runs on it. */
export interface ProgramFolder {
  readonly dataDir: string;
  readonly serverPid: number | undefined;
}

/** Gives each test of a file a data directory of its own for programs that it starts; whatever a failed test leaves running is ended. */
export function useProgramFolder(): ProgramFolder {
  let folder = '';
  const dataDir = () => path.join(folder, 'data');
  const serverPid = () => findPostmaster(path.join(dataDir(), 'postgres'))?.pid;

  beforeAll(buildProgram, BUILD_MS);
  beforeEach(() => {
    folder = makeTestFolder();
  });
  afterEach(async () => {
    for (const pid of processesOf(dataDir())) if (pid !== serverPid()) process.kill(pid, 'SIGKILL');
    await removeTestFolder(folder);
  });

  return {
    get dataDir() {
      return dataDir();
    },
    get serverPid() {
      return serverPid();
    },
  };
}
