import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LoopbackService } from '../../src/modules/subscriptions/instructions/api/loopback.service.js';

describe('the service as its own client', () => {
  let server: Server;
  let service: LoopbackService;
  let answer: RequestListener;
  beforeEach(async () => {
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    service = new LoopbackService();
  });
  afterEach(async () => {
    await service.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const call = async (fields: { timeoutMs?: number; body?: string | null } = {}) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v5/x?a=b`;
    return await service.call({ url, method: 'POST', token: 'sit_x', messageId: 'msg_1', body: fields.body ?? null }, fields.timeoutMs);
  };

  it('identifies itself, and sends the message id', async () => {
    let seen: unknown;
    answer = (request, response) => {
      const { authorization, 'idempotency-key': key, 'content-type': type } = request.headers;
      seen = { method: request.method, url: request.url, authorization, key, type };
      response.writeHead(201).end('{"id":1}');
    };
    expect(await call({ body: '{}' })).toEqual({ statusCode: 201, body: { id: 1 } });
    expect(seen).toEqual({ method: 'POST', url: '/v5/x?a=b', authorization: 'Bearer sit_x', key: 'msg_1', type: 'application/json' });
  });

  it('understands answers without JSON, and how long to wait', async () => {
    answer = (_, response) => void response.writeHead(429, { 'retry-after': '7' }).end('<html>');
    expect(await call()).toEqual({ statusCode: 429, body: null, retryAfterSeconds: 7 });
  });

  it('aborts calls without a timely response, before or within the response', async () => {
    answer = () => {};
    const timeout = { failure: { code: 'timeout', words: 'did not answer within 0.05 s' } };
    expect(await call({ timeoutMs: 50 })).toEqual(timeout);
    answer = (_, response) => void response.writeHead(200).write('{');
    expect(await call({ timeoutMs: 50 })).toEqual(timeout);
  });

  it('reports a lost connection, and reads no more than its limit', async () => {
    answer = (request) => void request.socket.destroy();
    expect(await call()).toEqual({ failure: { code: 'connection', words: 'could not be called (UND_ERR_SOCKET)' } });
    answer = (_, response) => void response.writeHead(200).end(Buffer.alloc(3 * 1_048_576, 32));
    expect(await call()).toEqual({ failure: { code: 'answer', words: 'answered with more than 2 MiB' } });
  });

  it('uses connections again', async () => {
    const ports = new Set<number | undefined>();
    answer = (request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    };
    for (let n = 0; n < 8; n += 1) await call();
    expect(ports.size).toBeLessThanOrEqual(2); // undici hears of the end a moment after us, so two take turns
  });
});
