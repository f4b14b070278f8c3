import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findPort } from '../../src/process/find-port.js';
import { buildPreviousVersion } from '../support/previous-version.js';
import { processesOf, REPOSITORY, type RunningProgram, startProgram } from '../support/program.js';
import { useProgramFolder } from '../support/program-folder.js';
import { expectSmokeObjects, makeSmokeObjects, type SmokeObjects, type SmokeProcess } from '../support/smoke-requests.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { offerScript } from '../support/worker-program.js';

/** About 20 s and a build; the packages of the previous version may have to be installed. */
const LONG_MS = 600_000;

const folder = useProgramFolder();
let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});
afterEach(async () => await receiver.close());

interface Version extends SmokeProcess {
  readonly program: RunningProgram;
}

/** Starts the service of this folder; both versions have one PUBLIC_URL and one DATA_DIR, as behind a load balancer. */
async function startVersion(cwd: string, publicUrl: string): Promise<Version> {
  const port = await findPort('127.0.0.1', 0);
  const installation = { DATA_DIR: folder.dataDir, STORAGE_PORT: '0', PUBLIC_URL: publicUrl };
  const env = { ...installation, PORT: String(port), RATE_LIMIT: 'off', EGRESS_ALLOWLIST: '127.0.0.1', LOG_LEVEL: 'warn' };
  const program = await startProgram({ cwd, env });
  return { program, url: `http://127.0.0.1:${port}`, publicUrl, login: program.login };
}

/** Names what the versions logged meanwhile, which says more than an answer of status 500. */
async function withLogs(running: readonly Version[], work: () => Promise<void>): Promise<void> {
  await work().catch((cause: Error) => {
    const logs = running.map(({ url, program }) => `${url} logged:\n${program.output.stdout.split('\n').filter(isError).join('\n')}`);
    throw new Error([cause.message, ...logs].join('\n'), { cause });
  });
}
const isError = (line: string) => /^\{"level":[56]0/.test(line);

const makeAt = async (at: SmokeProcess) => await makeSmokeObjects(at, receiver);
const expectAt = async (at: SmokeProcess, ...made: SmokeObjects[]) => {
  for (const objects of made) await expectSmokeObjects(at, objects);
};

describe('a rolling upgrade from the previous version', () => {
  it(
    'answers every request on both versions, before, while and after both run on one database',
    async () => {
      const previous = path.join(folder.dataDir, '../previous');
      buildPreviousVersion(previous);
      offerScript(folder.dataDir, 'capitals', 'tr a-z A-Z < "$1" > "$2"');
      const publicUrl = `http://localhost:${await findPort('127.0.0.1', 0)}`;

      const old = await startVersion(previous, publicUrl);
      const before = await makeAt(old);
      await expectAt(old, before);

      const next = await startVersion(REPOSITORY, publicUrl);
      await withLogs([old, next], async () => {
        const [byOld, byNext] = await Promise.all([makeAt(old), makeAt(next)]);
        await Promise.all([expectAt(old, byNext), expectAt(next, byOld)]);
        await Promise.all([expectAt(old, byOld), expectAt(next, before, byNext)]);
        expect(await old.program.end('SIGTERM')).toBe(0);
        await expectAt(next, before, byOld, byNext, await makeAt(next));
      });
      for (const { program } of [old, next]) expect(program.output.stderr).toBe('');
      expect(await next.program.end('SIGTERM')).toBe(0);
      expect(processesOf(folder.dataDir)).toEqual([]);
    },
    LONG_MS,
  );
});
