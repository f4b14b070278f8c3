import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { AddressResolver, type EgressOptions, type EgressRequest, EgressService } from '../../../src/shared/egress/index.js';
import { WebhookReceiver } from './webhook-receiver.js';

/** What a test has started; its file closes it after each test. */
export const ends: (() => unknown)[] = [];

/** Every name stands for these addresses. */
export class EveryNameIs extends AddressResolver {
  constructor(private readonly addresses: readonly string[]) {
    super();
  }

  async resolve(): Promise<readonly string[]> {
    return this.addresses;
  }
}

export function aClient(options: Partial<EgressOptions> = {}): EgressService {
  const client = new EgressService({ allowlist: [], resolver: new EveryNameIs(['127.0.0.1']), ...options });
  ends.push(() => client.onApplicationShutdown());
  return client;
}

export async function aReceiver(options: Parameters<typeof WebhookReceiver.start>[0] = {}): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start(options);
  ends.push(() => receiver.close());
  return receiver;
}

/** A server of raw connections; answers its port. */
export async function aTcpServer(accept: (socket: Socket) => void, host = '127.0.0.1', port = 0): Promise<Server> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    accept(socket);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return server;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

export async function send(client: EgressService, url: string, more: Partial<EgressRequest> = {}) {
  const { statusCode, failure } = await client.send({ url, method: 'POST', headers: {}, body: Buffer.from('{}'), ...more });
  return { statusCode, reason: failure && String(failure) };
}
