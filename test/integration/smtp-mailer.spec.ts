import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SMTPServerOptions } from 'smtp-server';
import { makeCertificate } from '../../src/modules/saml/service-provider.service.js';
import { findPort } from '../../src/process/find-port.js';
import type { Mail } from '../../src/shared/mail/index.js';
import { SmtpMailerAdapter, type SmtpSettings } from '../../src/shared/mail/smtp-mailer.adapter.js';
import { type MailServer, startMailServer } from '../support/subscriptions/mail-server.js';

const PASSWORD = 'p@ss/word:%41 ü';
const ALL_SHORT = { connect: 200, greeting: 200, silence: 200, mail: 5_000 };

const mail: Mail = { messageId: 'msg_1.1', to: 'ada@example.org', subject: 'Your files', text: 'Hello', html: '<p>Hello</p>' };

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function aServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options);
  closing.push(async () => await server.close());
  return server;
}

function aMailer(smtpUrl: string, more: Partial<SmtpSettings> = {}): SmtpMailerAdapter {
  const mailer = new SmtpMailerAdapter({
    smtpUrl,
    mailFrom: 'Media, Inc. <media@example.org>',
    publicUrl: 'https://media.example.org',
    ...more,
  });
  closing.push(() => mailer.onApplicationShutdown());
  return mailer;
}

/** Something on a port of loopback that answers as `talk` does. */
async function aPeer(talk: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    talk(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a mail by SMTP', () => {
  it('has sender, auto-submitted, language and message id headers', async () => {
    const server = await aServer();
    await aMailer(`smtp://${server.host}`).send({ ...mail, language: 'de-CH' });
    const [received] = server.mails;
    expect(received?.envelope).toEqual({ from: 'media@example.org', to: ['ada@example.org'] });
    expect(received?.headers).toMatchObject({
      from: '"Media, Inc." <media@example.org>',
      to: 'ada@example.org',
      'message-id': '<msg_1.1@media.example.org>',
      'auto-submitted': 'auto-generated',
      'content-language': 'de-CH',
    });
  });

  it('has the same message id when it is sent again', async () => {
    const server = await aServer();
    const mailer = aMailer(`smtp://${server.host}`);
    await mailer.send(mail);
    await mailer.send(mail);
    expect(server.mails.map(({ headers }) => headers['message-id'])).toEqual(Array(2).fill('<msg_1.1@media.example.org>'));
    expect(server.connections).toBe(1);
  });

  it.each(['', 'de\r\nBcc: eve@example.org', 'not a language'])('has no language header for %j', async (language) => {
    const server = await aServer();
    await aMailer(`smtp://${server.host}`).send({ ...mail, language });
    expect(server.mails[0]?.headers).not.toHaveProperty('content-language');
    expect(server.mails[0]?.raw).not.toMatch(/^Bcc/im);
  });

  it('reaches a server that closed the connection in the meantime', async () => {
    const server = await aServer();
    const mailer = aMailer(`smtp://${server.host}`);
    await mailer.send(mail);
    server.hangUp();
    expect(await mailer.send({ ...mail, messageId: 'msg_2.1' })).toMatchObject({ accepted: true });
    expect(server.mails).toHaveLength(2);
  });
});

describe('a mail server with authentication', () => {
  const signIn = (answer: (username?: string, password?: string) => Error | null): SMTPServerOptions => ({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) => {
      const problem = answer(username, password ?? undefined);
      if (problem) done(problem);
      else done(null, { user: username });
    },
  });
  const urlOf = ({ host }: MailServer) => `smtp://user:${encodeURIComponent(PASSWORD)}@${host}`;

  it('gets it as it was before it was percent-encoded', async () => {
    const seen: unknown[] = [];
    const server = await aServer(
      signIn((...credentials) => {
        seen.push(credentials);
        return null;
      }),
    );
    const mailer = aMailer(urlOf(server));
    expect([await mailer.send(mail), await mailer.findProblem()]).toMatchObject([{ accepted: true }, null]);
    expect(seen).toEqual([
      ['user', PASSWORD],
      ['user', PASSWORD],
    ]);
  });

  it('refuses a wrong password, and the reason does not contain it', async () => {
    const plain = Buffer.from(`\0user\0${PASSWORD}`).toString('base64');
    const server = await aServer(signIn(() => Object.assign(new Error(`no: ${PASSWORD} ${plain}`), { responseCode: 535 })));
    const mailer = aMailer(urlOf(server));
    const outcome = await mailer.send(mail);
    expect(outcome).toEqual({ accepted: false, statusCode: 535, reason: 'mail server refused: 535 no: *** ***' });
    expect(await mailer.findProblem()).toBe('E-mails are not sent (mail server refused: 535 no: *** ***).');
  });
});

describe('a mail server that refuses a mail', () => {
  const refuse = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

  it('returns the reason: the recipient', async () => {
    const server = await aServer({ onRcptTo: (_address, _session, done) => done(refuse(550, 'no such user')) });
    const outcome = await aMailer(`smtp://${server.host}`).send(mail);
    expect(outcome).toEqual({ accepted: false, statusCode: 550, reason: 'mail server refused: 550 no such user' });
  });

  it('returns the reason: the content', async () => {
    const server = await aServer({
      onData: (stream, _session, done) => {
        stream.resume();
        stream.on('end', () => done(refuse(554, 'looks like spam')));
      },
    });
    const outcome = await aMailer(`smtp://${server.host}`).send(mail);
    expect(outcome).toEqual({ accepted: false, statusCode: 554, reason: 'mail server refused: 554 looks like spam' });
  });

  it('returns the reason in its greeting', async () => {
    const server = await aServer({ onConnect: (_session, done) => done(refuse(421, 'come back later')) });
    const outcome = await aMailer(`smtp://${server.host}`).send(mail);
    expect(outcome).toMatchObject({ statusCode: 421, reason: expect.stringMatching(/^mail server refused: 421 .*come back later/) });
  });
});

describe('a mail server that cannot be reached', () => {
  it('is not there', async () => {
    const port = await findPort('127.0.0.1', 0);
    const { statusCode, reason } = await aMailer(`smtp://127.0.0.1:${port}`).send(mail);
    expect([statusCode, reason]).toEqual([0, 'connection: 127.0.0.1 broke it off or refused it (ECONNREFUSED)']);
  });

  it.each([
    ['refuses', (socket: Socket) => socket.destroy(), /^connection: /],
    ['keeps waiting', () => {}, /^timeout: /],
  ])('%s many at once, and every mail is answered for', async (_name, talk, reason) => {
    const mailer = aMailer(await aPeer(talk), { timeouts: ALL_SHORT });
    const outcomes = await Promise.all(Array.from({ length: 12 }, async (_, n) => await mailer.send({ ...mail, messageId: `msg_1.${n}` })));
    expect(outcomes).toEqual(Array(12).fill({ accepted: false, statusCode: 0, reason: expect.stringMatching(reason) }));
  });

  it('releases waiting mails when the service stops', async () => {
    const mailer = aMailer(await aPeer(() => {}), { timeouts: ALL_SHORT });
    const sending = Array.from({ length: 12 }, async (_, n) => await mailer.send({ ...mail, messageId: `msg_1.${n}` }));
    mailer.onApplicationShutdown();
    const stopped = { accepted: false, statusCode: 0, reason: 'stopped: the service stopped before the mail was sent' };
    expect(await Promise.all([...sending, mailer.send(mail)])).toEqual(Array(13).fill(stopped));
  });

  it('has no address', async () => {
    const { statusCode, reason } = await aMailer('smtp://mail.invalid:2525').send(mail);
    expect([statusCode, reason]).toEqual([0, 'dns: mail.invalid was not found']);
  });

  it('does not greet', async () => {
    const url = await aPeer(() => {});
    const { statusCode, reason } = await aMailer(url, { timeouts: ALL_SHORT }).send(mail);
    expect([statusCode, reason]).toEqual([0, 'timeout: 127.0.0.1 did not answer in time']);
  });

  it('falls silent', async () => {
    const url = await aPeer((socket) => socket.write('220 mail.example.org\r\n'));
    const { statusCode, reason } = await aMailer(url, { timeouts: { ...ALL_SHORT, greeting: 5_000 } }).send(mail);
    expect([statusCode, reason]).toEqual([0, 'timeout: 127.0.0.1 did not answer in time']);
  });

  it('is never silent, and never comes to an end', async () => {
    const url = await aPeer((socket) => {
      const dripping = setInterval(() => socket.write('220-wait\r\n'), 20);
      socket.on('close', () => clearInterval(dripping));
    });
    const timeouts = { connect: 5_000, greeting: 5_000, silence: 5_000, mail: 300 };
    const { statusCode, reason } = await aMailer(url, { timeouts }).send(mail);
    expect([statusCode, reason]).toEqual([0, 'timeout: 127.0.0.1 did not take the mail in time']);
  });

  it('hangs up', async () => {
    const url = await aPeer((socket) => socket.end());
    const { statusCode, reason } = await aMailer(url, { timeouts: ALL_SHORT }).send(mail);
    expect([statusCode, reason]).toEqual([0, 'connection: 127.0.0.1 broke it off or refused it']);
  });

  it('speaks something else', async () => {
    const url = await aPeer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const { accepted, reason } = await aMailer(url, { timeouts: ALL_SHORT }).send(mail);
    expect([accepted, reason]).toEqual([false, 'protocol: the answer of 127.0.0.1 is not SMTP']);
  });
});

describe('an encrypted connection', () => {
  let one: { privateKey: string; certificate: string };
  let other: { privateKey: string; certificate: string };
  beforeAll(async () => {
    [one, other] = await Promise.all([makeCertificate('localhost', new Date()), makeCertificate('localhost', new Date())]);
  });

  const anEncryptedServer = async (secure: boolean) => {
    const sessions: boolean[] = [];
    const server = await aServer({
      key: one.privateKey,
      cert: one.certificate,
      secure,
      onMailFrom: (_address, session, done) => {
        sessions.push(session.secure);
        done();
      },
    });
    return { server, sessions, port: server.host.split(':')[1] };
  };

  it('is made with smtp:// when the server offers it', async () => {
    const { sessions, port } = await anEncryptedServer(false);
    expect(await aMailer(`smtp://localhost:${port}`, { ca: one.certificate }).send(mail)).toMatchObject({ accepted: true });
    expect(sessions).toEqual([true]);
  });

  it('is made from the first byte with smtps://', async () => {
    const { sessions, port } = await anEncryptedServer(true);
    expect(await aMailer(`smtps://localhost:${port}`, { ca: one.certificate }).send(mail)).toMatchObject({ accepted: true });
    expect(sessions).toEqual([true]);
  });

  it.each([
    ['smtp', false],
    ['smtps', true],
  ])('is not made to a server with an untrusted certificate (%s://)', async (scheme, secure) => {
    const { server, sessions, port } = await anEncryptedServer(secure);
    const { statusCode, reason } = await aMailer(`${scheme}://localhost:${port}`, { ca: other.certificate }).send(mail);
    expect(statusCode).toBe(0);
    expect(reason).toMatch(/^tls: no encrypted connection to localhost \(\w+\)$/);
    expect([sessions, server.mails]).toEqual([[], []]);
  });

  it('is not made with a server that speaks plain text', async () => {
    const server = await aServer();
    const { statusCode, reason } = await aMailer(`smtps://${server.host}`).send(mail);
    expect(statusCode).toBe(0);
    expect(reason).toMatch(/^tls: /);
  });
});
