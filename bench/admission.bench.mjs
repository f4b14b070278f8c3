// How long does one expensive request block the event loop for other requests?
import { setTimeout } from 'node:timers/promises';
import { expensiveRequests, sendExpensive } from './support/expensive-requests.mjs';
import { startService } from './support/processes.mjs';
import { declareBenchClients } from './support/provision.mjs';
import { clientCredentials } from './support/tokens.mjs';

const TRIES = 5;
const SAMPLE_MS = 50;

export async function run() {
  const service = await startService();
  const url = service.url.replace('localhost', '127.0.0.1');
  try {
    await declareBenchClients(service);
    const token = await clientCredentials(service.url);
    const rows = [];
    const before = await memory(url);
    let most = before;
    for (const request of expensiveRequests()) {
      const [known, unknown] = [await measure(url, request, token), await measure(url, request, null)];
      const limit = request.limitMs;
      const note = `${known.ms.toFixed(0)} ms (${known.status}), without credentials ${unknown.ms.toFixed(0)} ms (${unknown.status}); at most ${limit} ms when idle`;
      rows.push({ name: request.name, note });
      most = Math.max(most, await memory(url));
    }
    rows.push({ name: 'memory', note: `${before} MB before, ${most} MB at most, ${await memory(url)} MB afterwards; at most 200 MB more` });
    return rows;
  } finally {
    await service.stop();
  }
}

/** The median of the longest stalls of several attempts. */
async function measure(url, request, token) {
  const stalls = [];
  let status = 0;
  for (let round = 0; round < TRIES; round += 1) {
    await longestStall(url); // reading the metric resets it
    status = await sendExpensive(url, request, token);
    await setTimeout(SAMPLE_MS); // the first sample after a stall records it
    stalls.push(await longestStall(url));
  }
  return { ms: stalls.sort((a, b) => a - b)[Math.floor(TRIES / 2)], status };
}

const longestStall = async (url) => (await metric(url, 'nodejs_eventloop_lag_max_seconds')) * 1_000;

/** Resident memory of the service in MB. */
const memory = async (url) => Math.round((await metric(url, 'process_resident_memory_bytes')) / 1e6);

async function metric(url, name) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name}\\S* (\\S+)$`, 'm').exec(text)?.[1]);
}
