import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { compareWebhook } from '../documents/documented-answers.js';

/** A request as it came. */
export interface ReceivedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (request: ReceivedRequest, response: ServerResponse) => void;

/** Another service, as an https instruction meets it: it keeps what it is sent and answers 204, or what `answer` says. */
export class WebhookReceiver {
  readonly requests: ReceivedRequest[] = [];
  connections = 0;
  answer: Answer = (_, response) => void response.writeHead(204).end();

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private readonly scheme: 'http' | 'https',
  ) {
    server.on('connection', () => {
      this.connections += 1;
    });
    server.on('request', (request, response) => void this.receive(request, response));
  }

  /** With a key and a certificate (PEM) it speaks https. */
  static async start({ tls, host = '127.0.0.1' }: { tls?: { key: string; cert: string }; host?: string } = {}): Promise<WebhookReceiver> {
    const server = tls ? (createTlsServer(tls) as unknown as ReturnType<typeof createServer>) : createServer();
    const receiver = new WebhookReceiver(server, tls ? 'https' : 'http');
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** `https://localhost:1234` */
  origin(host = '127.0.0.1'): string {
    return `${this.scheme}://${host}:${this.port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const received = { method, path, headers, body: await text(request) };
    this.requests.push(received);
    compareWebhook(received);
    this.answer(received, response);
  }
}
