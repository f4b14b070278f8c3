import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Patience, ShortAnswerHandler } from './short-answer-handler.js';

const PATIENCE: Patience = { connectionTimeout: 5_000, requestTimeout: 5_000 };
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A server, and how many connections it was sent. */
async function aServer(answer: RequestListener) {
  const server = createServer(answer);
  const seen = { connections: 0 };
  server.on('connection', () => {
    seen.connections += 1;
  });
  const port = await listen(server);
  ends.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port, seen };
}

function aHandler(patience: Partial<Patience> = {}): ShortAnswerHandler {
  const handler = new ShortAnswerHandler({ ...PATIENCE, ...patience });
  ends.push(() => handler.destroy());
  return handler;
}

type Request = Parameters<ShortAnswerHandler['handle']>[0];

const to = (port: number, path = '/', more: Partial<Request> = {}): Request =>
  ({ protocol: 'http:', hostname: '127.0.0.1', port, method: 'POST', path, query: {}, headers: {}, body: 'Action=x', ...more }) as Request;

const textOf = ({ response }: Awaited<ReturnType<ShortAnswerHandler['handle']>>): string => Buffer.from(response.body).toString();

describe('a call with a short answer', () => {
  it('sends method, path, headers and body, and answers status, headers and all of the body', async () => {
    const { port } = await aServer(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      const { method, url, headers } = request;
      response.writeHead(201, 'Made', { 'x-one': 'a', 'set-cookie': ['b=1', 'c=2'] });
      const { 'content-type': type, 'content-length': length, 'user-agent': agent } = headers;
      response.write(JSON.stringify({ method, url, type, length, agent, body }));
      setImmediate(() => response.end('.'));
    });
    const answer = await aHandler().handle(to(port, '/a?b', { headers: { 'content-type': 'text/x' }, body: 'ä' }));
    const { statusCode, reason, headers } = answer.response;
    expect({ statusCode, reason }).toEqual({ statusCode: 201, reason: 'Made' });
    expect(headers).toMatchObject({ 'x-one': 'a', 'set-cookie': 'b=1,c=2' });
    expect(textOf(answer)).toBe(
      '{"method":"POST","url":"/a?b","type":"text/x","length":"2","agent":"media-delivery-platform","body":"ä"}.',
    );
  });

  it('uses a connection again, also after an answer that is an error', async () => {
    const { port, seen } = await aServer((request, response) => {
      request.resume();
      response.writeHead(request.url === '/bad' ? 500 : 200).end();
    });
    const handler = aHandler();
    const statuses: number[] = [];
    for (const path of ['/', '/bad', '/', '/bad', '/', '/bad', '/', '/bad'])
      statuses.push((await handler.handle(to(port, path))).response.statusCode);
    expect(statuses).toEqual([200, 500, 200, 500, 200, 500, 200, 500]);
    expect(seen.connections).toBeLessThanOrEqual(2); // undici hears of the end a moment after us, so two take turns
  });

  it('is not held up by others', async () => {
    const { port } = await aServer((request, response) => {
      if (request.url !== '/silent') response.end('answer');
    });
    const handler = aHandler();
    const silent = handler.handle(to(port, '/silent'));
    silent.catch(() => {});
    expect(textOf(await handler.handle(to(port)))).toBe('answer');
  });
});

describe('a call without an answer', () => {
  it.each([
    ['that does not begin within its time', '/silent'],
    ['that stops in the middle', '/stalled'],
    ['whose connection ends before it', '/cut'],
    ['whose connection ends in the middle', '/torn'],
  ])('%s fails as the SDK knows timeouts, and the next one succeeds', async (_, path) => {
    const { port } = await aServer((request, response) => {
      request.resume();
      if (request.url === '/') response.end('answer');
      if (request.url === '/stalled') response.writeHead(200, { 'content-length': 9 }).write('begin');
      if (request.url === '/cut') request.socket.destroy();
      if (request.url === '/torn') {
        response.writeHead(200, { 'content-length': 9 });
        response.write('begin', () => request.socket.destroy());
      }
    });
    const handler = aHandler({ requestTimeout: 200 });
    await handler.handle(to(port));
    await expect(handler.handle(to(port, path))).rejects.toMatchObject({ name: 'TimeoutError', message: expect.any(String) });
    expect(textOf(await handler.handle(to(port)))).toBe('answer');
  });

  it('keeps to the time that a single call is given', async () => {
    const { port } = await aServer(() => {});
    await expect(aHandler().handle(to(port), { requestTimeout: 100 })).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('fails as the SDK knows timeouts when a connection, with its TLS, is not made in time', async () => {
    const silent = createTcpServer((socket) => void socket.on('error', () => {}).resume());
    const port = await listen(silent);
    ends.push(() => silent.close());
    await expect(aHandler({ connectionTimeout: 100 }).handle(to(port, '/', { protocol: 'https:' }))).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('keeps the code of a refused connection, which the SDK tries again', async () => {
    const gone = createTcpServer();
    const port = await listen(gone);
    await new Promise((resolve) => gone.close(resolve));
    await expect(aHandler().handle(to(port))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('ends at once when it is given up, before it began or later', async () => {
    const { port } = await aServer(() => {});
    const handler = aHandler();
    await expect(handler.handle(to(port), { abortSignal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    const giveUp = new AbortController();
    const call = handler.handle(to(port), { abortSignal: giveUp.signal });
    setTimeout(() => giveUp.abort(), 50);
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('ends with the handler', async () => {
    const { port } = await aServer(() => handler.destroy());
    const handler = aHandler();
    await expect(handler.handle(to(port))).rejects.toThrow();
    await expect(handler.handle(to(port))).rejects.toThrow();
  });

  it('is not made with a query, which would be lost', async () => {
    const { port } = await aServer((_, response) => void response.end());
    await expect(aHandler().handle(to(port, '/', { query: { a: 'b' } }))).rejects.toThrow('belongs into the body');
  });
});

it("leaves Node's own fetch alone", () => {
  expect(Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))).toBeUndefined();
});
