import { createServer } from 'node:net';
import { StartupError } from '../shared/errors/index.js';

/**
 * The port to listen on: the given one if it is free, for 0 one of the system's choosing.
 * @throws StartupError when it is taken or not allowed
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
    throw new StartupError(explain(error as NodeJS.ErrnoException, host, port));
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

function explain({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken: stop the program that uses it, or start with another one, e.g. PORT=${port + 10} npm start.`;
  if (code === 'EACCES') return `Port ${port} needs more rights than this user has: choose one above 1023, e.g. PORT=3000 npm start.`;
  if (code === 'EADDRNOTAVAIL') return `This machine has no address ${host}: set HOST to one of its addresses, or to 0.0.0.0 for all.`;
  return `Cannot listen on ${host}:${port}: ${message}`;
}
