import { createServer } from 'node:net';
import { StartupError } from '../shared/errors.js';

/**
 * The port to listen on: the given one if it is free; for 0, one that the system chooses.
 * @throws StartupError if it is in use or not allowed
 */
export async function findPort(host: string, port: number): Promise<number> {
  const server = createServer();
  try {
    return await new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, () => {
        const address = server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  } catch (error) {
    throw explainListenFailure(error, host, port);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** The error for a process that cannot listen on a port; `setting` is the setting that chooses the port. */
export function explainListenFailure(error: unknown, host: string, port: number, setting: 'PORT' | 'METRICS_PORT' = 'PORT'): StartupError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new StartupError(explain(code, host, port, setting) ?? `Cannot listen on ${host}:${port}: ${message}`, { cause: error });
}

function explain(code: string | undefined, host: string, port: number, setting: string): string | null {
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken: stop the program that uses it, or start with another one, e.g. ${setting}=${port + 10} npm start.`;
  if (code === 'EACCES') return `Port ${port} needs more rights than this user has: choose one above 1023, e.g. ${setting}=3000 npm start.`;
  if (code === 'EADDRNOTAVAIL') return `This machine has no address ${host}: set HOST to one of its addresses, or to 0.0.0.0 for all.`;
  if (code === 'ENOTFOUND') return `HOST is ${host}, which is neither an address of this machine nor a name that it knows.`;
  return null;
}
