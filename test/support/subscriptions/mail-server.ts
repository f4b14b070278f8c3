import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type ReceivedMail, readMail } from './read-mail.js';

/** A mail server on a free port of loopback, which keeps what it accepts. */
export interface MailServer {
  /** `127.0.0.1:<port>` */
  readonly host: string;
  readonly mails: readonly (ReceivedMail & { readonly envelope: { readonly from: string; readonly to: readonly string[] } })[];
  /** How many connections were made. */
  readonly connections: number;
  /** Closes all connections, as servers do with idle ones. */
  hangUp(): void;
  close(): Promise<void>;
}

/** Without options it offers neither TLS nor a way to sign in. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: MailServer['mails'][number][] = [];
  let connections = 0;
  const server = new SMTPServer({
    disabledCommands: options.key ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    closeTimeout: 1,
    onConnect: (_session, done) => {
      connections += 1;
      done();
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        mails.push({
          ...readMail(Buffer.concat(chunks).toString()),
          envelope: { from, to: envelope.rcptTo.map(({ address }) => address) },
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {}); // a client that breaks off is no fault of the test
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    get connections() {
      return connections;
    },
    hangUp: () => {
      for (const connection of server.connections) connection.close();
    },
    close: async () => await new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
