import http from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

interface RawRequest {
  readonly method?: string;
  /** Sent as it is, unlike fetch, which would tidy it up. */
  readonly path: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  readonly agent?: http.Agent;
}

/** A request by node:http: with any Host header, path and method. */
export async function rawRequest(origin: string, { method = 'GET', path, headers = {}, body, agent }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  return await new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { hostname, port, method, path, headers: { ...length, ...headers }, agent: agent ?? false };
    const request = http.request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
