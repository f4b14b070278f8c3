// How fast is introspection, and a find with a token, against a bare Express route that answers a constant?
import { compare, measure } from './support/load.mjs';
import { freePort, root, startProgram, startService } from './support/processes.mjs';
import { declareBenchClients } from './support/provision.mjs';
import { clientCredentials } from './support/tokens.mjs';

export async function run() {
  const port = await freePort();
  const express = await startProgram(`${root}/bench/support/bare-express.mjs`, { env: { PORT: String(port) }, ready: /ready/ });
  const service = await startService();
  try {
    await declareBenchClients(service);
    const token = await clientCredentials(service.url);
    const form = {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa('machine:machine-secret-of-the-benchmarks')}`,
    };
    const rates = await compare({
      express: () => measure(`http://127.0.0.1:${port}/constant`),
      introspection: () => measure(`${service.url}/v4/introspect`, { method: 'POST', headers: form, body: `token=${token}` }),
      find: () => measure(`${service.url}/v4/apps`, { headers: { authorization: `Bearer ${token}` } }),
    });
    return [
      { name: 'bare Express, constant answer', rate: rates.express, ratio: 1 },
      { name: 'introspection', rate: rates.introspection, ratio: rates.introspection / rates.express, target: 0.6 },
      { name: 'authenticated find (GET /v4/apps)', rate: rates.find, ratio: rates.find / rates.express, target: 0.4 },
    ];
  } finally {
    await service.stop();
    await express.stop();
  }
}
