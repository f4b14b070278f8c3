import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';

/** `request`: the Nth message never arrives; `response`: it arrives and is processed, and its response is lost. */
export type FreezeAt = 'request' | 'response';

/**
 * Proxies in front of what a process depends on. They count together what it sends, and at the Nth message let nothing through any more, in
 * either direction: what a kill at this moment leaves behind is what is there.
 */
export interface FreezingProxies {
  /** The same URL by way of a proxy. */
  through(url: string): Promise<string>;
  /** From now on messages count. */
  freezeAt(message: number, at: FreezeAt): void;
  /** How many messages passed since freezeAt. */
  passed(): number;
  /** Resolves when the moment is there. */
  readonly frozen: Promise<void>;
  /** Breaks all connections and refuses new ones. */
  close(): Promise<void>;
}

export function startFreezingProxies(): FreezingProxies {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  let target = Number.POSITIVE_INFINITY;
  let at: FreezeAt = 'request';
  let count = 0;
  let isFrozen = false;
  let tell = () => {};
  const frozen = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const freeze = () => {
    isFrozen = true;
    tell();
  };

  const connect = (near: Socket, { port, hostname }: URL) => {
    const far = dial(Number(port), hostname);
    let awaited = false; // the answer to the message at which to freeze
    near.on('data', (bytes) => {
      if (isFrozen) return;
      count += 1;
      if (count >= target && at === 'request') return freeze();
      if (count === target) awaited = true;
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (awaited) freeze();
      if (!isFrozen) near.write(bytes);
    });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        if (isFrozen) return;
        near.destroy();
        far.destroy();
      });
    }
  };

  return {
    frozen,
    passed: () => count,
    through: async (url) => {
      const server = createServer((near) => connect(near, new URL(url)));
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const proxied = new URL(url);
      proxied.hostname = '127.0.0.1';
      proxied.port = String((server.address() as AddressInfo).port);
      return proxied.href.replace(/\/$/, '');
    },
    freezeAt: (message, when) => {
      target = message;
      at = when;
      count = 0;
    },
    close: async () => {
      isFrozen = true;
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map(async (server) => await new Promise((resolve) => server.close(resolve))));
    },
  };
}
