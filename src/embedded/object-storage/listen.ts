import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartupError } from '../../shared/errors/startup-error.js';
import { errorCode, errorMessage } from '../postgres/error-fields.js';

/** Listens, and answers the address for clients on this machine. @throws StartupError with what the operator can do */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    throw new StartupError(explain(error, host, port), { cause: error });
  }
  return `http://${reachable(host)}:${(server.address() as AddressInfo).port}`;
}

function reachable(host: string): string {
  if (isEveryAddress(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Whether a host to listen on means every address of this machine, so that it is no address to connect to. */
export const isEveryAddress = (host: string): boolean => host === '0.0.0.0' || host === '::';

function explain(error: unknown, host: string, port: number): string {
  const way = `choose another one for the local object storage, e.g. STORAGE_PORT=${port + 10}, or STORAGE_PORT=0 for any free one.`;
  if (errorCode(error) === 'EADDRINUSE') return `Port ${port} is taken: ${way}`;
  if (errorCode(error) === 'EACCES') return `Port ${port} needs more rights than this user has: ${way}`;
  return `The local object storage cannot listen on ${host}:${port}: ${errorMessage(error)}`;
}
