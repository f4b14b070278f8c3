import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';

interface RequestOptions {
  readonly method?: string;
  readonly url?: string;
  /** Names in lower case, as Node gives them. */
  readonly headers?: Record<string, string>;
  readonly remoteAddress?: string;
  readonly body?: string | Buffer;
}

/** Node's own request object without a connection, as a step of the pipeline meets it after beginRequest(). */
export function aRequest({ method = 'GET', url = '/', headers = {}, remoteAddress = '203.0.113.7', body = '' }: RequestOptions = {}) {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
  const request = new IncomingMessage(socket);
  Object.assign(request, { method, url });
  Object.assign(request.headers, { host: 'media.example.org', ...headers });
  request.push(Buffer.from(body));
  request.push(null);
  request.context = {
    id: 'request-1',
    clientAddress: remoteAddress,
    clientNetwork: remoteAddress,
    host: 'media.example.org',
    startedAt: process.hrtime.bigint(),
  };
  return request;
}

/** Node's own response object, which keeps what was written to it. */
export function aResponse(request: IncomingMessage = aRequest()) {
  const written = new PassThrough();
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(written as unknown as Socket);
  return Object.assign(response, {
    /** What the client gets, once the response has ended. Header names in lower case. */
    sent: async (): Promise<{ status: number; headers: Record<string, string>; body: string }> => {
      if (!response.writableFinished) await new Promise((resolve) => response.once('finish', resolve));
      const [head = '', ...body] = ((written.read() as Buffer | null) ?? '').toString().split('\r\n\r\n');
      const lines = head.split('\r\n').slice(1);
      const headers = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]);
      return { status: response.statusCode, headers: Object.fromEntries(headers), body: body.join('\r\n\r\n') };
    },
  });
}

/** A request whose body comes in these pieces, and breaks off with an error if the last one is an Error. */
export function aStreamedRequest(headers: Record<string, string>, pieces: Iterable<Buffer | Error>): IncomingMessage {
  const request = Readable.from(
    (function* () {
      for (const piece of pieces) {
        if (piece instanceof Error) throw piece;
        yield piece;
      }
    })(),
  );
  return Object.assign(request, { headers }) as unknown as IncomingMessage;
}
