import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web server of this machine. */
export interface LocalServer {
  readonly url: string;
  /** What was asked for, in order: `GET /video.mp4 bytes=0-`. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Serves one file at /file, with ranges (RFC 9110 section 14), and a page with a video that shows it at every other path. */
export async function serveFile(file: string, type: string): Promise<LocalServer> {
  const bytes = readFileSync(file);
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.range ?? ''}`.trim());
    if (request.url !== '/file') {
      response.setHeader('content-type', 'text/html').end('<!doctype html><video src="/file" muted preload="metadata"></video>');
      return;
    }
    const [, first = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const end = last === '' ? bytes.length - 1 : Math.min(Number(last), bytes.length - 1);
    const headers = { 'content-type': type, 'accept-ranges': 'bytes', 'content-range': `bytes ${first}-${end}/${bytes.length}` };
    response.writeHead(request.headers.range ? 206 : 200, headers).end(bytes.subarray(Number(first), end + 1));
  });
  return await listen(server, asked);
}

/** A server that has nothing, and only notes what it is asked for. */
export async function serveNothing(): Promise<LocalServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(404).end();
  });
  return await listen(server, asked);
}

async function listen(server: Server, asked: readonly string[]): Promise<LocalServer> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}
