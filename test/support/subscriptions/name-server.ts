import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const A = 1;
const HEADER_BYTES = 12;
/** An answer with recursion, without error and with it (RFC 1035 section 4.1.1; 3: there is no such name). */
const FOUND = 0x8180;
const NO_SUCH_NAME = 0x8183;

/**
 * A name server for IPv4 addresses; a name whose address is null is never answered, one whose address is '' has none, one
 * that it does not know does not exist.
 */
export class NameServer {
  /** Names that were asked for, one for each kind of address. */
  readonly asked: string[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly names: Readonly<Record<string, string | null>>,
  ) {
    socket.on('message', (question, from) => this.receive(question, from));
  }

  static async start(names: Readonly<Record<string, string | null>>): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket, names);
  }

  /** As resolvers want it: `127.0.0.1:1234`. */
  get address(): string {
    return `127.0.0.1:${(this.socket.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.socket.close(() => resolve()));
  }

  private receive(question: Buffer, from: RemoteInfo): void {
    const { name, end } = readName(question);
    this.asked.push(name);
    const address = this.names[name];
    if (address === null) return;
    const answers = address && question.readUInt16BE(end) === A ? [toRecord(address)] : [];
    const header = Buffer.from(question.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(address === undefined ? NO_SUCH_NAME : FOUND, 2);
    for (const [index, count] of [1, answers.length, 0, 0].entries()) header.writeUInt16BE(count, 4 + 2 * index);
    this.socket.send(Buffer.concat([header, question.subarray(HEADER_BYTES, end + 4), ...answers]), from.port, from.address);
  }
}

/** The name of the first question, and where it ends. */
function readName(question: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** For the name of the question: kind A, class IN, 0 seconds. */
const toRecord = (address: string): Buffer =>
  Buffer.from([0xc0, HEADER_BYTES, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);
