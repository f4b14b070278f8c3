import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { aUser } from '../support/scenario.js';
import { startTestStorage, type TestStorage } from '../support/storage.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { tokenOf } from '../support/uploads.js';

interface Expensive {
  readonly name: string;
}

interface Requests {
  readonly expensiveRequests: () => readonly Expensive[];
  readonly sendExpensive: (url: string, request: Expensive, token: string | null) => Promise<number>;
}

/** The bench `admission` sends the same ones, and measures how long each keeps the event loop. */
const REQUESTS = '../../bench/support/expensive-requests.mjs';

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

it('requests that are expensive to read are answered, with or without credentials, and others beside them', async () => {
  const { expensiveRequests, sendExpensive } = (await import(REQUESTS)) as Requests;
  for (const request of expensiveRequests()) {
    for (const credentials of [token, null]) {
      const [status, live] = await Promise.all([sendExpensive(app.url, request, credentials), fetch(`${app.url}/health/live`)]);
      expect({ request: request.name, isAnswered: status < 500, live: live.status }).toEqual({
        request: request.name,
        isAnswered: true,
        live: 200,
      });
      await live.text();
    }
  }
}, 300_000);
