// How fast are authorize + exchange pairs and client credentials, against bare oidc-provider with its in-memory adapter?
import autocannon from 'autocannon';
import { compare, measure } from './support/load.mjs';
import { freePort, root, startProgram, startService } from './support/processes.mjs';
import { declareBenchClients } from './support/provision.mjs';
import { signIn } from './support/sign-in.mjs';

const query = { client_id: 'bench', response_type: 'code', redirect_uri: 'https://client.example/cb', scope: 'api', state: 's' };
const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);

export async function run() {
  const port = await freePort();
  const bare = await startProgram(`${root}/bench/support/bare-oidc-provider.mjs`, { env: { PORT: String(port) }, ready: /ready/ });
  const bareUrl = `http://localhost:${port}`;
  const bareCookie = /cookie (.+)/.exec(bare.output)[1];
  const service = await startService();
  try {
    await declareBenchClients(service);
    const cookie = await signIn(service, query);
    const rates = await compare({
      barePairs: () => measurePairs(bareUrl, '/auth', '/token', bareCookie),
      pairs: () => measurePairs(service.url, '/v4/authorize', '/v4/token', cookie),
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

/** Pairs per second: each client authorizes with the session cookie and exchanges the code it got. */
async function measurePairs(url, authorize, token, cookie) {
  const once = async (duration) => {
    let pairs = 0;
    let failures = 0;
    const result = await autocannon({
      url,
      connections: 32,
      duration,
      requests: [
        {
          method: 'GET',
          path: `${authorize}?${new URLSearchParams(query)}`,
          headers: { cookie },
          onResponse: (_status, _body, context, headers) => {
            const code = /[?&]code=([^&]+)/.exec(headers.location ?? headers.Location ?? '')?.[1];
            if (!code) failures += 1;
            context.code = code;
          },
        },
        {
          method: 'POST',
          path: token,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          setupRequest: (request, context) => ({
            ...request,
            body: `grant_type=authorization_code&client_id=bench&redirect_uri=https%3A%2F%2Fclient.example%2Fcb&code=${context.code}`,
          }),
          onResponse: (status) => {
            if (status === 200) pairs += 1;
            else failures += 1;
          },
        },
      ],
    });
    if (failures > 0) throw new Error(`${failures} requests of the pairs at ${url} failed.`);
    return pairs / result.duration;
  };
  await once(2);
  return await once(SECONDS);
}

async function measureMachine(url) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${btoa('machine:machine-secret')}` };
  return await measure(url, { method: 'POST', headers, body: 'grant_type=client_credentials&scope=api' });
}
