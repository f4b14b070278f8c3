import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { aUser } from '../support/scenario.js';
import { startTestStorage, type TestStorage } from '../support/storage.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { tokenOf } from '../support/uploads.js';

interface Expensive {
  readonly name: string;
  /** How long it may keep the event loop of an idle machine. */
  readonly limitMs: number;
}

interface Requests {
  readonly expensiveRequests: () => readonly Expensive[];
  readonly sendExpensive: (url: string, request: Expensive, token: string | null) => Promise<number>;
}

/** Of what is promised for an idle machine: here client, storage and service share one process, perhaps beside other tests. */
const BUSY_FACTOR = 20;
/** Seen to stall this process, which client, storage and service share, for more than three seconds; the bench measures the service alone. */
const FOR_THE_BENCH = 'createUpload: 1,000 items, 7 MB of metadata';
const REQUESTS = '../../bench/support/expensive-requests.mjs'; // which the bench sends, too

let storage: TestStorage;
let app: TestApp;
let token: string;

beforeAll(async () => {
  storage = await startTestStorage();
  app = await startTestApp(storage.settings);
  token = await tokenOf(app, await aUser(app));
});

afterAll(async () => {
  await app.close();
  await storage.close();
});

it('no request that is expensive to read keeps the others waiting, with or without credentials', async () => {
  const { expensiveRequests, sendExpensive } = (await import(REQUESTS)) as Requests;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  for (const request of expensiveRequests().filter(({ name }) => name !== FOR_THE_BENCH)) {
    for (const credentials of [token, null]) {
      delay.reset();
      delay.enable();
      const [status, live] = await Promise.all([
        sendExpensive(app.url, request, credentials),
        fetch(`${app.url}/health/live`).then(async (answer) => ({ status: answer.status, text: await answer.text() })),
      ]);
      delay.disable();
      const seen = { request: request.name, status, live: live.status, isShort: delay.max / 1e6 < request.limitMs * BUSY_FACTOR };
      expect(seen).toEqual({ request: request.name, status: expect.any(Number), live: 200, isShort: true });
      expect(status).toBeLessThan(500);
    }
  }
}, 300_000);
