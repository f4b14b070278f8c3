import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A website of a test, to stand beside the service. */
export interface Site {
  readonly origin: string;
  close(): Promise<void>;
}

export interface Answer {
  readonly html: string;
  /** Answers with a redirect to this URL. */
  readonly location?: string;
  readonly cookies?: readonly string[];
}

/** Names of this machine that are different sites to browsers. */
export type SiteHost = '127.0.0.1' | 'localhost' | '[::1]' | 'my_app.localhost';

/** Serves what `answer` makes of a request, on a free port of `host`. */
export async function startSite(host: SiteHost, answer: (url: URL, request: IncomingMessage) => Answer): Promise<Site> {
  const server = createServer((request, response) => {
    const { html, location, cookies = [] } = answer(new URL(request.url ?? '/', 'http://site.example'), request);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader('set-cookie', cookies);
    if (location) response.writeHead(302, { location });
    response.end(`<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">${html}`);
  });
  await new Promise<void>((resolve) => server.listen(0, host === '[::1]' ? '::1' : '127.0.0.1', resolve));
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
