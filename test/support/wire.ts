import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const TICK_MS = 20;

/** A line between browsers and a server: it counts what goes up, can be slow, and can be cut. */
export class Wire {
  /** Bytes that went up until now. */
  sent = 0;
  /** Bytes a second that may go up. */
  rate = Number.POSITIVE_INFINITY;
  private isCut = false;
  /** Bytes that may be sent; below zero all connections wait. */
  private credit = 0;
  private readonly sockets = new Set<Socket>();
  private readonly waiting = new Set<Socket>();
  private readonly ticks = setInterval(() => this.tick(), TICK_MS);
  private readonly server: Server;

  private constructor(private readonly target: URL) {
    this.server = createServer((client) => this.accept(client));
  }

  static async to(target: string): Promise<Wire> {
    const wire = new Wire(new URL(target));
    await new Promise<void>((resolve) => wire.server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Closes all connections and refuses new ones until it is repaired. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  async close(): Promise<void> {
    clearInterval(this.ticks);
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(client: Socket): void {
    if (this.isCut) return void client.destroy();
    const server = connect(Number(this.target.port), this.target.hostname);
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', () => {}); // `close` follows
      socket.on('close', () => {
        this.sockets.delete(socket);
        this.waiting.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    server.on('data', (bytes) => client.write(bytes));
    client.on('data', (bytes) => {
      this.sent += bytes.length;
      this.credit -= bytes.length;
      server.write(bytes);
      if (!this.isSlow || this.credit > 0) return;
      client.pause();
      this.waiting.add(client);
    });
  }

  private get isSlow(): boolean {
    return Number.isFinite(this.rate);
  }

  private tick(): void {
    this.credit = this.isSlow ? Math.min(this.rate / 10, this.credit + (this.rate * TICK_MS) / 1_000) : 0;
    if (this.credit < 0) return;
    for (const socket of this.waiting) socket.resume();
    this.waiting.clear();
  }
}
