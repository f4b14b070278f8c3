import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The web site of a client application, on another site than the service (127.0.0.1 against localhost). */
export interface ClientSite {
  readonly redirectUri: string;
  close(): Promise<void>;
}

export async function startClientSite(): Promise<ClientSite> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>The client</title><link rel="icon" href="data:,"><h1>Welcome back</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
