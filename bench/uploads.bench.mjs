// How fast are uploads prepared: a thousand items with a slow security token service, and one item with a fast one?
import { compare, measure } from './support/load.mjs';
import { freePort, root, startProgram, startService } from './support/processes.mjs';
import { declareBenchClients } from './support/provision.mjs';
import { clientCredentials } from './support/tokens.mjs';

const ITEMS = 1_000;
const SLOW_MS = 50;
const ROUNDS = 5;

export async function run() {
  return [...(await withService(SLOW_MS, manyItems)), ...(await withService(0, oneItem))];
}

/** A service that requests credentials from an STS that takes `delayMs` per call. */
async function withService(delayMs, bench) {
  const port = await freePort();
  const sts = `http://127.0.0.1:${port}`;
  const program = await startProgram(`${root}/bench/support/timed-sts.mjs`, {
    env: { PORT: String(port), DELAY_MS: String(delayMs) },
    ready: /ready/,
  });
  const service = await startService({
    S3_BUCKET: 'media',
    S3_ENDPOINT: sts,
    STS_ENDPOINT: sts,
    STS_ROLE_ARN: 'arn:aws:iam::123456789012:role/media-uploads',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  });
  try {
    await declareBenchClients(service);
    const headers = { authorization: `Bearer ${await clientCredentials(service.url)}`, 'content-type': 'application/json' };
    return await bench({ url: `${service.url}/v5/s3/createUpload`, headers, sts });
  } finally {
    await service.stop();
    await program.stop();
  }
}

const items = (count) =>
  JSON.stringify({
    payload: Array.from({ length: count }, (_, n) => ({
      type: 'image',
      fileName: `image ${n}`,
      originalFileExtension: 'jpg',
      fileSize: 600_000,
    })),
  });

async function manyItems({ url, headers, sts }) {
  const body = items(ITEMS);
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    const response = await fetch(url, { method: 'POST', headers, body });
    const { processed } = await response.json();
    if (processed?.length !== ITEMS) throw new Error(`createUpload answered ${response.status}.`);
    times.push(performance.now() - start);
  }
  const calls = Number(await (await fetch(`${sts}/calls`)).text()) / ROUNDS;
  const median = times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)];
  return [
    {
      name: `createUpload of ${ITEMS} items, STS of ${SLOW_MS} ms a call, median`,
      note: `${Math.round(median)} ms (target under 1 s)`,
      ratio: 1_000 / median,
      target: 1,
    },
    { name: 'items a call of STS', note: (ITEMS / calls).toFixed(1), ratio: ITEMS / calls / 22, target: 1 },
  ];
}

async function oneItem({ url, headers }) {
  const port = await freePort();
  const express = await startProgram(`${root}/bench/support/bare-express.mjs`, { env: { PORT: String(port) }, ready: /ready/ });
  try {
    const { bare, one } = await compare({
      bare: () => measure(`http://127.0.0.1:${port}/constant`),
      one: () => measure(url, { method: 'POST', headers, body: items(1) }),
    });
    return [
      { name: 'bare Express, constant answer', rate: bare, ratio: 1 },
      { name: 'createUpload of one item, fast STS', rate: one, ratio: one / bare, target: 0.1 },
    ];
  } finally {
    await express.stop();
  }
}
