import { afterEach, describe, expect, it } from '@jest/globals';
import autocannon from 'autocannon';
import { findPort } from '../../src/process/find-port.js';
import { type Program, type RunningProgram, startProgram } from '../support/app/program.js';
import { useProgramFolder } from '../support/app/program-folder.js';
import { demoToken, startWorker } from '../support/app/worker-program.js';
import { eventually } from '../support/eventually.js';
import { aFile, call, type UploadDocument } from '../support/media/uploads.js';
import { subscriptionsOf } from '../support/subscriptions/subscriptions.js';
import { WebhookReceiver } from '../support/subscriptions/webhook-receiver.js';

const LONG_MS = 300_000;
const WEB_PROCESSES = 4;
/** For each process, so that one shares its statements among as many calls as each of four. */
const CONNECTIONS = 8;
const WARM_UP = 500;
const REQUESTS = 2_000;
const EVENTS = 500;
const CONTAINERS = 50;
/**
 * Processor time for the same work, by one process and by several. The bench `scale` expects 0.8 on an idle machine; other work on the machine
 * empties caches, so the least of some rounds counts.
 */
const MIN_SHARE_OF_LINEAR = 0.6;
const MAX_ROUNDS = 8;

interface ProcessorTime {
  readonly processorTimeOf: (pids: Record<string, readonly number[]>, work: () => Promise<unknown>) => Promise<Record<string, number>>;
  readonly postmasterOf: (dataDir: string) => number;
}

const PROCESSOR_TIME = '../../bench/support/processor-time.mjs';

const folder = useProgramFolder();
const running: Program[] = [];
afterEach(async () => {
  for (const program of running.splice(0)) await program.end('SIGKILL');
});

async function started<P extends Program>(program: Promise<P>): Promise<P> {
  running.push(await program);
  return await program;
}

const pidsOf = (programs: readonly Program[]): number[] => programs.map(({ process }) => process.pid ?? 0);

/** Seconds that these programs and PostgreSQL use for some work together. */
async function cost(programs: readonly Program[], work: () => Promise<unknown>): Promise<number> {
  const { processorTimeOf, postmasterOf } = (await import(PROCESSOR_TIME)) as ProcessorTime;
  const seconds = await processorTimeOf({ all: [...pidsOf(programs), postmasterOf(folder.dataDir)] }, work);
  return seconds.all ?? Number.NaN;
}

/** The share after some rounds: the least cost of one in relation to the least cost of several. */
async function shareOfLinear(one: () => Promise<number>, several: () => Promise<number>): Promise<number> {
  let [least, leastOfSeveral] = [await one(), Number.POSITIVE_INFINITY];
  for (let round = 0; round < MAX_ROUNDS && least / leastOfSeveral < MIN_SHARE_OF_LINEAR; round += 1) {
    leastOfSeveral = Math.min(leastOfSeveral, await several());
    least = Math.min(least, await one());
  }
  return least / leastOfSeveral;
}

async function send(url: string, amount: number, connections: number, how: object): Promise<void> {
  const { '2xx': answered } = await autocannon({ url, amount, connections, timeout: 60, ...how });
  expect(answered).toBe(amount);
}

describe('processes that share a database', () => {
  it(
    'need as much processor time for a request, however many they are, and workers for an event',
    async () => {
      const receiver = await WebhookReceiver.start();
      const settings = { DATA_DIR: folder.dataDir, RATE_LIMIT: 'off', LOG_LEVEL: 'info', EGRESS_ALLOWLIST: '127.0.0.1', WORKER: 'off' };
      const PORT = String(await findPort('127.0.0.1', 0));
      const one = await started(startProgram({ env: { ...settings, PORT } }));
      const shared = { ...settings, PUBLIC_URL: one.url };
      const four = await started(startProgram({ env: { ...shared, WEB_CONCURRENCY: String(WEB_PROCESSES) } }));
      const token = await demoToken(one, folder.dataDir);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

      const find = { headers };
      const requests = async ({ url }: RunningProgram, processes: number, amount = REQUESTS) =>
        await send(`${url}/v4/apps`, amount, CONNECTIONS * processes, find);
      await requests(one, 1, WARM_UP);
      await requests(four, WEB_PROCESSES, WARM_UP * WEB_PROCESSES);
      const ofRequests = await shareOfLinear(
        async () => await cost([one], async () => await requests(one, 1)),
        async () => await cost([four], async () => await requests(four, WEB_PROCESSES)),
      );
      expect(ofRequests).toBeGreaterThan(MIN_SHARE_OF_LINEAR);

      const payload = Array.from({ length: CONTAINERS }, () => aFile());
      const { body } = await call<UploadDocument>(`${one.url}/v5/s3/createUpload`, { token, body: { payload } });
      let sent = 0;
      const release = () => `/v5/mediacontainer/${body.processed[sent++ % CONTAINERS]?.id}/releaseRequest`; // each locks its own
      await subscriptionsOf(one, token).made({ name: 'event:releaseRequest', instructions: [{ type: 'https', url: receiver.origin() }] });
      const setupRequest = (request: object) => ({ ...request, path: release() });
      const event = { requests: [{ method: 'POST', headers, body: '{"message":"please"}', setupRequest }] };
      const workers: Program[] = [];
      const events = async () => {
        receiver.requests.length = 0;
        await send(four.url, EVENTS, CONNECTIONS, event);
        await eventually(() => receiver.requests.length >= EVENTS);
      };
      const costOfEvents = async () => await cost(workers, events);
      workers.push(await started(startWorker({ env: shared })));
      await events();
      const alone = [await costOfEvents(), await costOfEvents()];
      workers.push(await started(startWorker({ env: shared })));
      await events();
      const ofEvents = await shareOfLinear(async () => Math.min(...alone), costOfEvents);
      expect(ofEvents).toBeGreaterThan(MIN_SHARE_OF_LINEAR);
      await receiver.close();
    },
    LONG_MS,
  );
});
