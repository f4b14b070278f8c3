import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A website of a test, to stand beside the service. */
export interface Site {
  readonly origin: string;
  close(): Promise<void>;
}

export interface Answer {
  readonly html: string;
  readonly cookies?: readonly string[];
}

/** Serves what `answer` makes of a request, on a free port of `host`: to browsers 127.0.0.1 and localhost are different sites. */
export async function startSite(host: '127.0.0.1' | 'localhost', answer: (url: URL, request: IncomingMessage) => Answer): Promise<Site> {
  const server = createServer((request, response) => {
    const { html, cookies = [] } = answer(new URL(request.url ?? '/', 'http://site.example'), request);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader('set-cookie', cookies);
    response.end(`<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">${html}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
