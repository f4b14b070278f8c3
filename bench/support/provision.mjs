// Clients and users for a bench, through the same service classes that the command line uses.

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './processes.mjs';

/** Security settings of a player configuration that admit this machine, by an allow-list, and pages of example.com. */
export const ADMITTING_RULES = JSON.stringify({
  authOnly: false,
  ipWhiteList: ['127.0.0.0/8', '::1/128'].map((cidr) => ({ cidr, type: cidr.includes(':') ? 'ipv6' : 'ipv4' })),
  matchReferer: ['*.example.com'],
});

const load = async (file) => await import(pathToFileURL(path.join(root, 'dist/src', file)).href);

/** Runs `work` in the service's modules, on the database of a running service. */
export async function inContext(service, work) {
  const { loadConfig } = await load('shared/config/index.js');
  const { completeEnvironment } = await load('embedded/complete-environment.js');
  const { createContext } = await load('process/create-context.js');
  const { config } = await completeEnvironment(loadConfig({ ...process.env, DATA_DIR: service.dataDir, PUBLIC_URL: service.url }));
  const context = await createContext(config);
  try {
    return await work(context, { load, config });
  } finally {
    await context.close();
  }
}

export const BENCH_CLIENT = {
  clientId: 'bench',
  name: 'Bench',
  type: 'web',
  redirectUris: ['https://client.example/cb'],
  firstParty: true,
  requirePkce: false,
};
export const MACHINE_CLIENT = {
  clientId: 'machine',
  name: 'Machine',
  type: 'web',
  redirectUris: [],
  grantTypes: ['client_credentials'],
  clientSecret: 'machine-secret-of-the-benchmarks',
};

export async function declareBenchClients(service) {
  await inContext(service, async (context, { load }) => {
    const { ClientsService } = await load('modules/oauth/index.js');
    await context.get(ClientsService).declare(BENCH_CLIENT);
    await context.get(ClientsService).declare({ ...MACHINE_CLIENT, serviceUser: service.login.email });
  });
}
