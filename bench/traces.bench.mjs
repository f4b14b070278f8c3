// What do traces cost? The processor time of a service that sends them to a collector, against one that does not: for introspections, of which one
// in a hundred is traced, and for requests that change something, all of which are traced. Measured alternately, in short turns; rates would depend more
// on the other load on the machine.
import autocannon from 'autocannon';
import { fillLinks, releaseRequests } from './support/links.mjs';
import { freePort, root, startProgram, startService } from './support/processes.mjs';
import { postmasterOf, processorTimeOf } from './support/processor-time.mjs';
import { declareBenchClients, inContext } from './support/provision.mjs';
import { clientCredentials } from './support/tokens.mjs';

const WARM_UP = 2;
const ROUNDS = 4;
/** Several processes of each side are measured in turns: V8 compiles the same code differently in each, a difference of several percent. */
const PROCESSES = 6;
const REQUESTS = { 'an introspection': 10_000, 'a request for a release': 2_000 };
const CONNECTIONS = 32;
const TIMEOUT_SECONDS = 60;

export async function run() {
  const port = await freePort();
  const collector = await startProgram(`${root}/bench/support/collector.mjs`, { env: { PORT: String(port) }, ready: /ready/ });
  const services = [];
  const start = async (env) => {
    const service = await startService(env);
    services.push(service);
    return await prepare(service);
  };
  try {
    const [plain, traced] = [[], []];
    for (let place = 0; place < PROCESSES; place += 1) {
      plain.push(await start());
      traced.push(await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }));
    }
    const sides = [plain, traced];
    return [...(await compareCosts('an introspection', sides)), ...(await compareCosts('a request for a release', sides))];
  } finally {
    for (const service of services) await service.stop();
    await collector.stop();
  }
}

/** The requests to a service, and the processes whose processor time is read. */
async function prepare(service) {
  await declareBenchClients(service);
  const token = await clientCredentials(service.url);
  const { containers } = await inContext(service, fillLinks);
  const form = {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${btoa('machine:machine-secret-of-the-benchmarks')}`,
  };
  const bearer = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    groups: { service: [service.pid], PostgreSQL: [postmasterOf(service.dataDir)] },
    'an introspection': { url: `${service.url}/v4/introspect`, method: 'POST', headers: form, body: `token=${token}` },
    'a request for a release': { url: service.url, requests: [releaseRequests(containers, bearer)] },
  };
}

async function compareCosts(name, sides) {
  const costs = sides.map(() => []);
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (let place = 0; place < PROCESSES; place += 1) {
      const order = (round + place) % 2 === 0 ? [0, 1] : [1, 0]; // what the first one leaves to its database costs the second one time
      for (const index of order) {
        const { groups, [name]: request } = sides[index][place];
        const { service } = await processorTimeOf(groups, async () => await send(request, REQUESTS[name]));
        if (round >= 0) costs[index].push((service / REQUESTS[name]) * 1e6);
      }
    }
  }
  const [plain, traced] = costs.map(lowerHalf);
  return [
    { name: `processor time of the service for ${name}`, note: `${Math.round(plain)} µs`, ratio: 1 },
    { name: 'the same with a collector of traces', note: `${Math.round(traced)} µs`, ratio: plain / traced, target: 0.95 },
  ];
}

async function send(request, amount) {
  const { '2xx': answered } = await autocannon({ ...request, amount, connections: CONNECTIONS, timeout: TIMEOUT_SECONDS });
  if (answered !== amount) throw new Error(`${amount - answered} requests to ${request.url} failed.`);
}

/** The mean of the lower half: other work on the machine only adds to processor time, by emptying caches. */
function lowerHalf(values) {
  const lower = values.sort((a, b) => a - b).slice(0, values.length / 2);
  return lower.reduce((sum, value) => sum + value, 0) / lower.length;
}
