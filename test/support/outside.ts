import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** How something outside the service fails: nobody listens at its port, it accepts and never answers, or it refuses the login. */
export type Failure = 'refused' | 'silent' | 'refusing the login';

/** PostgreSQL's answer to a wrong password: severity, SQLSTATE and message, each ended by a zero. */
export function refusedByPostgres(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0');
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** Something outside the service that can be taken away and given back. */
export interface Outside {
  fail(how: Failure): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** The way to a server, which is reached through it at `port`. `refusal`: what the server says to a login that it refuses. */
export class Way implements Outside {
  port = 0;
  private failure: Failure | null = null;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly target: number,
    private readonly refusal: string | Buffer,
  ) {
    this.server = createServer((near) => this.accept(near));
  }

  static async to(target: number, refusal: string | Buffer): Promise<Way> {
    const way = new Way(target, refusal);
    await way.listen(0);
    return way;
  }

  async fail(how: Failure): Promise<void> {
    this.failure = how;
    if (how === 'silent') return; // connections stay open
    this.breakOff();
    if (how === 'refused') await new Promise((resolve) => this.server.close(resolve));
  }

  async mend(): Promise<void> {
    if (this.failure === 'refused') await this.listen(this.port);
    this.failure = null;
    this.breakOff();
  }

  async close(): Promise<void> {
    this.breakOff();
    if (this.failure !== 'refused') await new Promise((resolve) => this.server.close(resolve));
  }

  private async listen(port: number): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  private breakOff(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private keep(socket: Socket, end = () => {}): void {
    this.sockets.add(socket);
    socket.on('error', () => {}); // `close` follows
    socket.on('close', () => {
      this.sockets.delete(socket);
      end();
    });
  }

  private accept(near: Socket): void {
    if (this.failure === 'refusing the login') {
      this.keep(near);
      // A mail server speaks first, and its greeting may be the refusal; of others the request comes first.
      near.once('data', () => near.end(this.refusal));
      if (typeof this.refusal === 'string' && /^\d{3} /.test(this.refusal)) near.end(this.refusal);
      return;
    }
    const far = connect(this.target, '127.0.0.1');
    this.keep(near, () => far.destroy());
    this.keep(far, () => near.destroy());
    near.on('data', (bytes) => this.failure !== 'silent' && far.write(bytes));
    far.on('data', (bytes) => this.failure !== 'silent' && near.write(bytes));
  }
}

const DNS_PORT = 53;
const [REFUSED, ANSWERED] = [0x81_85, 0x81_80];
const ADDRESS = { type: 1, record: Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]) };

/** A name server whose names are all addresses of this machine, without a time to live (RFC 1035, section 4.1). Its port needs root. */
export class NameServer implements Outside {
  private failure: Failure | null = null;
  private socket: DatagramSocket | null = null;

  private constructor(readonly address: string) {}

  static async start(): Promise<NameServer> {
    const server = new NameServer(`127.53.${process.pid % 250}.1`);
    await server.open();
    return server;
  }

  async fail(how: Failure): Promise<void> {
    this.failure = how;
    if (how === 'refused') await this.close();
  }

  async mend(): Promise<void> {
    this.failure = null;
    if (!this.socket) await this.open();
  }

  async close(): Promise<void> {
    const { socket } = this;
    this.socket = null;
    if (socket) await new Promise<void>((resolve) => socket.close(resolve));
  }

  private async open(): Promise<void> {
    const socket = createSocket('udp4');
    this.socket = socket;
    socket.on('message', (query, { port, address }) => {
      if (this.failure !== 'silent') socket.send(this.answer(query), port, address);
    });
    socket.bind(DNS_PORT, this.address);
    await once(socket, 'listening');
  }

  /** The header and the question, and the address if one is asked for. */
  private answer(query: Buffer): Buffer {
    const end = query.indexOf(0, 12) + 5;
    const answer = Buffer.from(query.subarray(0, end));
    const found = this.failure === null && query.readUInt16BE(end - 4) === ADDRESS.type;
    answer.writeUInt16BE(this.failure === null ? ANSWERED : REFUSED, 2);
    answer.writeUInt16BE(found ? 1 : 0, 6);
    answer.fill(0, 8, 12);
    return found ? Buffer.concat([answer, ADDRESS.record]) : answer;
  }
}
