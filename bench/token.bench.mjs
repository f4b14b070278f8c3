// How fast are authorize + exchange pairs and client credentials, against bare oidc-provider with its in-memory adapter?
import { compare, measure } from './support/load.mjs';
import { measurePairs, pairsQuery } from './support/pairs.mjs';
import { freePort, root, startProgram, startService } from './support/processes.mjs';
import { declareBenchClients } from './support/provision.mjs';
import { signIn } from './support/sign-in.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);

export async function run() {
  const port = await freePort();
  const bare = await startProgram(`${root}/bench/support/bare-oidc-provider.mjs`, { env: { PORT: String(port) }, ready: /ready/ });
  const bareUrl = `http://localhost:${port}`;
  const bareCookie = /cookie (.+)/.exec(bare.output)[1];
  const service = await startService();
  try {
    await declareBenchClients(service);
    const cookie = await signIn(service, pairsQuery);
    const rates = await compare({
      barePairs: () => pairRate({ url: bareUrl, authorize: '/auth', token: '/token', cookie: bareCookie }),
      pairs: () => pairRate({ url: service.url, authorize: '/v4/authorize', token: '/v4/token', cookie }),
      bareMachine: () => measureMachine(`${bareUrl}/token`),
      machine: () => measureMachine(`${service.url}/v4/token`),
    });
    return [
      { name: 'bare oidc-provider in memory: authorize + exchange pairs', rate: rates.barePairs, ratio: 1 },
      { name: 'authorize with a live session + exchange, pairs', rate: rates.pairs, ratio: rates.pairs / rates.barePairs, target: 0.4 },
      { name: 'bare oidc-provider in memory: client_credentials', rate: rates.bareMachine, ratio: 1 },
      { name: 'client_credentials', rate: rates.machine, ratio: rates.machine / rates.bareMachine, target: 0.5 },
    ];
  } finally {
    await service.stop();
    await bare.stop();
  }
}

async function pairRate(target) {
  const { pairs, seconds } = await measurePairs(target, { seconds: SECONDS });
  return pairs / seconds;
}

async function measureMachine(url) {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${btoa('machine:machine-secret-of-the-benchmarks')}`,
  };
  return await measure(url, { method: 'POST', headers, body: 'grant_type=client_credentials&scope=api' });
}
