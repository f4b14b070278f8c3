import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeCertificate } from '../../src/modules/saml/service-provider.service.js';
import { EgressAllowlist } from '../../src/shared/egress/index.js';
import { SystemAddressResolver } from '../../src/shared/egress/system-address-resolver.adapter.js';
import { compileParts } from '../support/app/compile-parts.js';
import { REPOSITORY } from '../support/app/program.js';
import { HOST_SPELLINGS } from '../support/delivery/host-spellings.js';
import { eventually } from '../support/eventually.js';
import { aClient, aReceiver, aTcpServer, EveryNameIs, ends, portOf, send } from '../support/subscriptions/egress-stage.js';

// One file: everything that a request to others must not do, against the same kinds of servers.

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

describe('a request to this machine', () => {
  let port: number;
  let connections: number;

  beforeEach(async () => {
    connections = 0;
    const accept = (socket: Socket) => {
      connections += 1;
      socket.destroy();
    };
    port = portOf(await aTcpServer(accept));
    // Where the machine has IPv6, the same port of its loopback address is watched as well.
    await aTcpServer(accept, '::1', port).catch(() => null);
  });

  it.each(HOST_SPELLINGS.flatMap((host) => ['https', 'http'].map((scheme) => [scheme, host])))(
    'never goes out: %s://%s',
    async (scheme, host) => {
      const client = aClient({ timeoutMs: 5_000 });
      const { statusCode, reason } = await send(client, `${scheme}://${host}:${port}/secret?secret`, { headers: { 'x-key': 'secret' } });
      expect(statusCode).toBe(0);
      expect(reason).toMatch(/^(blocked address|plain http|invalid url): /);
      expect(reason).not.toContain('secret');
      expect(connections).toBe(0);
    },
  );

  it.each(['localhost', 'localhost.'])('never goes out by the name that the system knows: %s', async (host) => {
    const client = aClient({ resolver: new SystemAddressResolver(new EgressAllowlist([])) });
    expect((await send(client, `https://${host}:${port}/`)).reason).toMatch(/^(blocked address|dns): localhost/);
    expect(connections).toBe(0);
  });

  it.each([['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['127.0.0.1', '8.8.8.8'], ['2606:4700::1111', '::1']])(
    'never goes out when a name stands for %s and %s',
    async (...addresses) => {
      const client = aClient({ resolver: new EveryNameIs(addresses) });
      const { reason } = await send(client, `https://hooks.example.org:${port}/`);
      expect(reason).toMatch(/^blocked address: hooks.example.org is (127.0.0.1|::1), a loopback address$/);
      expect(connections).toBe(0);
    },
  );

  it.each(['ftp', 'file', 'data', 'ws', 'wss', 'gopher', 'unix', 'blob:https', 'javascript'])('never goes out by %s', async (scheme) => {
    expect((await send(aClient({ allowlist: ['127.0.0.1'] }), `${scheme}://127.0.0.1:${port}/`)).reason).toMatch(/^invalid url: /);
    expect(connections).toBe(0);
  });

  it.each(['http', 'https'])('goes out by %s when the operator allows the host: the listener above does listen', async (scheme) => {
    const client = aClient({ allowlist: ['127.0.0.1', 'Hooks.Example.org'] });
    expect(await send(client, `${scheme}://127.0.0.1:${port}/`)).toMatchObject({
      statusCode: 0,
      reason: expect.stringMatching(/^reset: /),
    });
    expect(connections).toBe(1);
    await send(client, `${scheme}://hooks.example.org.:${port}/`);
    expect(connections).toBe(2);
    await send(client, `${scheme}://other.example.org:${port}/`);
    expect(connections).toBe(2);
  });
});

describe('a request', () => {
  const allowlist = ['127.0.0.1', 'hooks.test'];

  it('goes to the checked address, even if the name resolves differently later', async () => {
    const receiver = await aReceiver();
    let connections = 0;
    await aTcpServer(() => (connections += 1), '127.0.0.2', receiver.port);
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']];
    const resolver = { resolve: async () => answers.shift() ?? [] };
    expect(await send(aClient({ allowlist, resolver }), receiver.origin('hooks.test'))).toEqual({ statusCode: 204, reason: null });
    expect(receiver.requests).toHaveLength(1);
    expect(connections).toBe(0);
    expect(answers).toHaveLength(2);
  });

  it('follows no redirect', async () => {
    const [receiver, elsewhere] = [await aReceiver(), await aReceiver()];
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.answer = (_, response) => void response.writeHead(status, { location: `${elsewhere.origin()}/` }).end();
      const reason = `redirect: 127.0.0.1 answered ${status}; redirects are not followed`;
      expect(await send(aClient({ allowlist }), receiver.origin())).toEqual({ statusCode: status, reason });
    }
    expect(elsewhere.connections).toBe(0);
  });

  it('waits for the answer behind early hints', async () => {
    const receiver = await aReceiver();
    receiver.answer = (_, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.writeHead(500).end();
    };
    expect(await send(aClient({ allowlist }), receiver.origin())).toEqual({ statusCode: 500, reason: 'http-5xx: 127.0.0.1 answered 500' });
  });

  it('keeps connections for the requests that follow, and opens no more of them than is allowed', async () => {
    const receiver = await aReceiver();
    const client = aClient({ allowlist });
    for (let n = 0; n < 10; n += 1) await send(client, receiver.origin());
    expect(receiver.connections).toBeLessThanOrEqual(2); // undici hears of the end a moment after us, so two take turns
    await Promise.all(Array.from({ length: 400 }, () => send(client, receiver.origin())));
    expect(receiver.requests).toHaveLength(410);
    expect(receiver.connections).toBeLessThanOrEqual(256);
  });

  it('keeps no connection for long, whatever the receiver asks for', async () => {
    const answer = 'HTTP/1.1 204 No Content\r\nconnection: keep-alive\r\nkeep-alive: timeout=600\r\n\r\n';
    const server = await aTcpServer((socket) => socket.on('data', () => socket.write(answer)));
    const { port } = server.address() as AddressInfo;
    expect(await send(aClient({ allowlist: ['127.0.0.1'] }), `http://127.0.0.1:${port}`)).toMatchObject({ reason: null });
    const open = async () => await new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    expect(await open()).toBe(1);
    await eventually(async () => (await open()) === 0);
  });

  it('is given up when no answer comes', async () => {
    const receiver = await aReceiver();
    receiver.answer = () => {};
    const reason = 'timeout: 127.0.0.1 did not answer within 0.05 s';
    expect(await send(aClient({ allowlist, timeoutMs: 50 }), receiver.origin())).toEqual({ statusCode: 0, reason });
  });

  it('is aborted if only informational responses arrive', async () => {
    const receiver = await aReceiver();
    receiver.answer = (_, response) => response.writeEarlyHints({ link: '</a>; rel=preload' });
    const reason = 'timeout: 127.0.0.1 did not answer within 0.05 s';
    expect(await send(aClient({ allowlist, timeoutMs: 50 }), receiver.origin())).toEqual({ statusCode: 0, reason });
  });

  it('is given up when the answer does not end, however much of it comes', async () => {
    const receiver = await aReceiver();
    let closed = false;
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 5);
      response.on('close', () => {
        clearInterval(timer);
        closed = true;
      });
    };
    // Long enough for the answer to begin on a busy machine, too.
    const reason = 'timeout: 127.0.0.1 did not end its answer within 1 s';
    expect(await send(aClient({ allowlist, timeoutMs: 1_000 }), receiver.origin())).toEqual({ statusCode: 200, reason });
    await eventually(() => closed);
  });

  it('is aborted if the server accepts the connection and does not respond', async () => {
    const server = await aTcpServer(() => {});
    const reason = 'timeout: 127.0.0.1 did not answer within 0.05 s';
    expect(await send(aClient({ allowlist, timeoutMs: 50 }), `https://127.0.0.1:${portOf(server)}/`)).toEqual({ statusCode: 0, reason });
  });

  it('that was given up while its host was looked up is not sent any more', async () => {
    const receiver = await aReceiver();
    const waiting: ((addresses: readonly string[]) => void)[] = [];
    const resolver = { resolve: () => new Promise<readonly string[]>((resolve) => waiting.push(resolve)) };
    const client = aClient({ allowlist, resolver, timeoutMs: 1_500 });
    const given = send(client, receiver.origin('hooks.test'), { body: Buffer.from('first') });
    expect((await given).reason).toBe('timeout: hooks.test did not answer within 1.5 s');
    const next = send(client, receiver.origin('hooks.test'), { body: Buffer.from('second') });
    for (const found of waiting) found(['127.0.0.1']);
    expect((await next).statusCode).toBe(204);
    expect(receiver.requests.map(({ body }) => body)).toEqual(['second']);
  });

  it('has its answer by the status, however long the rest of it is', async () => {
    const receiver = await aReceiver();
    let written = 0;
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const more = () => {
        if (response.destroyed) return;
        written += 16_384;
        response.write(Buffer.alloc(16_384), () => setImmediate(more));
      };
      more();
    };
    expect(await send(aClient({ allowlist, timeoutMs: 30_000 }), receiver.origin())).toEqual({ statusCode: 200, reason: null });
    expect(written).toBeLessThan(100_000_000);
  });

  it.each([
    ['closes the connection', '', /^reset: 127.0.0.1 closed the connection/],
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', /^invalid answer: .*HTTPParserError/],
    ['has endless headers', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, /^invalid answer: .*HEADERS_OVERFLOW/],
    ['ends its answer early', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx', /^(reset|invalid answer): /],
    ['answers with a status of its own', 'HTTP/1.1 799 Hm\r\ncontent-length: 0\r\n\r\n', /^invalid answer: 127.0.0.1 answered 799$/],
  ])('fails when the other side %s', async (_, answer, reason) => {
    const server = await aTcpServer((socket) => socket.once('data', () => socket.end(answer)));
    expect((await send(aClient({ allowlist }), `http://127.0.0.1:${portOf(server)}/`)).reason).toMatch(reason);
  });

  it('fails if no server listens', async () => {
    const server = await aTcpServer(() => {});
    const port = portOf(server);
    await new Promise((resolve) => server.close(resolve));
    const reason = 'refused: 127.0.0.1 refused the connection';
    expect(await send(aClient({ allowlist }), `http://127.0.0.1:${port}/`)).toEqual({ statusCode: 0, reason });
  });

  it('fails when the service stops', async () => {
    const receiver = await aReceiver();
    receiver.answer = () => {};
    const client = aClient({ allowlist });
    const sent = send(client, receiver.origin());
    await eventually(() => receiver.requests.length);
    await client.onApplicationShutdown();
    expect((await sent).reason).toMatch(/^stopped: /);
    expect((await send(client, receiver.origin())).reason).toMatch(/^stopped: /);
  });

  it('leaves the dispatcher of this process alone', async () => {
    const dispatcher = () => Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'));
    const before = dispatcher();
    await send(aClient({ allowlist }), (await aReceiver()).origin());
    expect(dispatcher()).toBe(before);
  });
});

describe('a request by https', () => {
  let trusted: { key: string; cert: string };
  let expired: { key: string; cert: string };

  beforeAll(async () => {
    const make = async (now: Date) => {
      const { privateKey, certificate } = await makeCertificate('hooks.test', now);
      return { key: privateKey, cert: certificate };
    };
    trusted = await make(new Date());
    expired = await make(new Date('1990-01-01T00:00:00Z'));
  });

  const toHooks = { allowlist: ['hooks.test', 'other.test'] };

  it('arrives', async () => {
    const receiver = await aReceiver({ tls: trusted });
    expect(await send(aClient({ ...toHooks, ca: trusted.cert }), receiver.origin('hooks.test'))).toEqual({ statusCode: 204, reason: null });
  });

  it('does not trust a certificate of an unknown authority', async () => {
    const receiver = await aReceiver({ tls: trusted });
    const reason = 'tls: hooks.test offers no TLS that can be trusted (DEPTH_ZERO_SELF_SIGNED_CERT)';
    expect(await send(aClient(toHooks), receiver.origin('hooks.test'))).toEqual({ statusCode: 0, reason });
    expect(receiver.requests).toEqual([]);
  });

  it('does not trust the certificate of another host', async () => {
    const receiver = await aReceiver({ tls: trusted });
    const reason = 'tls: other.test offers no TLS that can be trusted (ERR_TLS_CERT_ALTNAME_INVALID)';
    expect(await send(aClient({ ...toHooks, ca: trusted.cert }), receiver.origin('other.test'))).toEqual({ statusCode: 0, reason });
    expect(receiver.requests).toEqual([]);
  });

  it('does not trust a certificate whose time is over', async () => {
    const receiver = await aReceiver({ tls: expired });
    const { reason } = await send(aClient({ ...toHooks, ca: expired.cert }), receiver.origin('hooks.test'));
    expect(reason).toBe('tls: hooks.test offers no TLS that can be trusted (CERT_HAS_EXPIRED)');
  });

  it('fails where plain http is spoken', async () => {
    const receiver = await aReceiver();
    expect((await send(aClient(toHooks), `https://hooks.test:${receiver.port}/`)).reason).toMatch(/^tls: hooks.test .*\(.*SSL.*\)$/);
  });

  it('ignores proxies of the environment, and verifies certificates regardless of the environment', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'egress-'));
    ends.push(() => rmSync(folder, { recursive: true }));
    compileParts(['src/shared'], folder);
    const [proxy, plain, secure] = [await aReceiver(), await aReceiver(), await aReceiver({ tls: trusted })];
    const module = pathToFileURL(path.join(folder, 'src/shared/egress/egress.service.js')).href;
    const script = `
      const { EgressService } = await import(${JSON.stringify(module)});
      const client = new EgressService({ allowlist: ['127.0.0.1', 'hooks.test'], resolver: { resolve: async () => ['127.0.0.1'] } });
      for (const url of ${JSON.stringify([plain.origin(), secure.origin('hooks.test')])}) {
        const { statusCode, failure } = await client.send({ url, method: 'POST', headers: {}, body: null });
        console.log(statusCode, String(failure));
      }
      await client.onApplicationShutdown();`;
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
    const proxies = Object.fromEntries(names.map((name) => [name, proxy.origin()]));
    const env = { ...proxies, NODE_USE_ENV_PROXY: '1', NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1', PATH: process.env.PATH };
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: REPOSITORY, env });
    const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(complaint).toBe('');
    expect(printed).toBe(`204 null\n0 tls: hooks.test offers no TLS that can be trusted (DEPTH_ZERO_SELF_SIGNED_CERT)\n`);
    expect([proxy.connections, plain.requests.length, secure.requests.length]).toEqual([0, 1, 0]);
  });
});
