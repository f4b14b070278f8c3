import { once } from 'node:events';
import { createServer } from 'node:net';
import { errorCode } from './error-fields.js';

/** A port that is free on the loopback interface: `wish` if that one is, else one of the system's choosing. */
export async function findFreePort(wish = 0): Promise<number> {
  const server = createServer().listen(wish, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (wish !== 0 && errorCode(error) === 'EADDRINUSE') return await findFreePort();
    throw error;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  return address.port;
}
