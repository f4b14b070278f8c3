import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { HttpsInstructionDto } from '../../src/modules/subscriptions/instructions/https/https-instruction.dto.js';
import { HttpsInstructionService } from '../../src/modules/subscriptions/instructions/https/https-instruction.service.js';
import type { Attempt } from '../../src/modules/subscriptions/instructions/instruction.js';
import { FakeClock } from '../../src/shared/clock.js';
import { EgressService } from '../../src/shared/egress/index.js';
import { startTestContext } from '../support/app/test-context.js';
import { WebhookReceiver } from '../support/subscriptions/webhook-receiver.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const EVENT = {
  id: 7,
  name: 'event:s3success',
  customerId: 3,
  method: 'create',
  payload: { mediaContainerId: 11, mediaId: 12, customerId: 3 },
  createdAt: '2026-01-01T00:00:00.000Z',
} as const;

let receiver: WebhookReceiver;
let egress: EgressService;
let clock: FakeClock;

beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  clock = new FakeClock(new Date()); // the library that checks signatures wants them to be of now
  const nobody = {
    resolve: async () => {
      throw new Error('No name is asked for here.');
    },
  };
  egress = new EgressService({ allowlist: ['127.0.0.1'], resolver: nobody });
});

afterEach(async () => {
  await egress.onApplicationShutdown();
  await receiver.close();
});

const attemptOf = (
  instruction: Partial<HttpsInstructionDto>,
  values: Record<string, unknown> = EVENT.payload,
): Attempt<HttpsInstructionDto> => ({
  instruction: { type: 'https', url: `${receiver.origin()}/hook`, ...instruction },
  messageId: 'msg_1',
  attempt: 1,
  event: { ...EVENT, depth: 0 },
  subscription: { id: 5, customerId: 3, lastEditorId: 4, signingSecret: SECRET },
  values,
});

const run = (instruction: Partial<HttpsInstructionDto>, values?: Record<string, unknown>) =>
  new HttpsInstructionService(egress, clock).run(attemptOf(instruction, values));

describe('an https instruction', () => {
  it('posts the event without internal fields', async () => {
    expect(await run({})).toEqual({ succeeded: true, statusCode: 204, reason: null, payload: null });
    const [{ method, path, headers, body }] = receiver.requests as [(typeof receiver.requests)[0]];
    expect({ method, path }).toEqual({ method: 'POST', path: '/hook' });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'media-delivery-platform' });
    expect(JSON.parse(body)).toEqual(EVENT);
  });

  it('is signed so that the library of Standard Webhooks verifies it', async () => {
    await run({});
    const [{ headers, body }] = receiver.requests as [(typeof receiver.requests)[0]];
    expect(headers).toMatchObject({ 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(clock.now().getTime() / 1_000)) });
    const signed = headers as Record<string, string>;
    expect(new Webhook(SECRET).verify(body, signed)).toEqual(EVENT);
    expect(() => new Webhook(SECRET).verify(`${body} `, signed)).toThrow();
    expect(() => new Webhook(SECRET).verify(body, { ...signed, 'webhook-id': 'msg_2' })).toThrow();
  });

  it('signs each attempt separately, with the same id', async () => {
    await run({});
    clock.advance(60);
    await run({});
    const [first, second] = receiver.requests.map(({ headers }) => headers) as [Record<string, string>, Record<string, string>];
    expect(Number(second['webhook-timestamp']) - Number(first['webhook-timestamp'])).toBe(60);
    expect(second['webhook-id']).toBe(first['webhook-id']);
    expect(second['webhook-signature']).not.toBe(first['webhook-signature']);
  });

  it.each(['PUT', 'PATCH', 'DELETE'] as const)('sends its payload by %s, with values of the event', async (method) => {
    const payload = { id: ':mediaId', text: 'no. :mediaId', list: [':mediaContainerId', 1, null, true] };
    const sent = { id: 12, text: 'no. 12', list: [11, 1, null, true] };
    expect(await run({ method, payload })).toMatchObject({ succeeded: true, payload: sent });
    const [request] = receiver.requests;
    expect(request?.method).toBe(method);
    expect(JSON.parse(request?.body ?? '')).toEqual(sent);
    expect(new Webhook(SECRET).verify(request?.body ?? '', request?.headers as Record<string, string>)).toEqual(sent);
  });

  it('signs non-ASCII characters as sent', async () => {
    await run({ payload: { text: 'Grüße 🎬' } });
    const [request] = receiver.requests;
    expect(new Webhook(SECRET).verify(request?.body ?? '', request?.headers as Record<string, string>)).toEqual({ text: 'Grüße 🎬' });
  });

  it('sends a payload of null as the event', async () => {
    expect(await run({ payload: null })).toMatchObject({ payload: null });
    expect(JSON.parse(receiver.requests[0]?.body ?? '')).toEqual(EVENT);
  });

  it.each([
    ['/a/:name/c', '..'],
    ['/a/:name', '.'],
    ['/a/.:name/c', '.'],
    ['/a/%2e:name/c?x=1', '.'],
  ])('does not go to another path than %s because a value is %s', async (path, name) => {
    expect(await run({ url: receiver.origin() + path }, { name })).toMatchObject({
      succeeded: false,
      statusCode: 0,
      reason: expect.stringMatching(/^invalid url: a value/),
    });
    expect(receiver.requests).toEqual([]);
    for (const other of ['...', 'x', '%2e%2e', '../..'])
      expect(await run({ url: receiver.origin() + path }, { name: other })).toMatchObject({ succeeded: true });
    expect(receiver.requests.every((request) => request.path.startsWith('/a/'))).toBe(true);
    expect(await run({ url: `${receiver.origin()}/a/../b/:name?x=:dots` }, { name: 'x', dots: '..' })).toMatchObject({ succeeded: true });
    expect(receiver.requests.at(-1)?.path).toBe('/b/x?x=..');
  });

  it('gets without a body, signed all the same', async () => {
    expect(await run({ method: 'GET', payload: { a: 1 } })).toMatchObject({ succeeded: true, payload: null });
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'GET', body: '' });
    expect(request?.headers).not.toHaveProperty('content-type');
    const signature = new Webhook(SECRET).sign('msg_1', clock.now(), '');
    expect(request?.headers['webhook-signature']).toBe(signature);
  });

  it('puts values into path and query, percent-encoded', async () => {
    await run({ url: `${receiver.origin()}/:name?from=:name#:name` }, { name: 'a/b?c=d&e ü' });
    const value = 'a%2Fb%3Fc%3Dd%26e%20%C3%BC';
    expect(receiver.requests[0]?.path).toBe(`/${value}?from=${value}`);
  });

  it.each(['//evil.example/', '@evil.example/', '.evil.example'])('does not let a value %s change its destination', async (name) => {
    await run({ url: `${receiver.origin()}/:name` }, { name });
    expect(receiver.requests).toHaveLength(1);
    const elsewhere = await run({ url: `http://:name:${receiver.port}/` }, { name: '127.0.0.1' });
    expect(elsewhere).toMatchObject({ succeeded: false, statusCode: 0, reason: expect.stringMatching(/^invalid url: /) });
  });

  it('puts values into headers, in UTF-8', async () => {
    await run(
      { headers: { 'X-Title': 'no. :title', Authorization: 'Bearer top', 'Content-Type': 'application/vnd.x+json' } },
      { title: 'Grüße 🎬' },
    );
    const [{ headers }] = receiver.requests as [(typeof receiver.requests)[0]];
    expect(Buffer.from(String(headers['x-title']), 'latin1').toString()).toBe('no. Grüße 🎬');
    expect(headers).toMatchObject({ authorization: 'Bearer top', 'content-type': 'application/vnd.x+json' });
  });

  it.each([
    ['x-title', 'q7\r\nx-evil: 1'],
    ['x-title', 'q7\nx-evil: 1'],
    ['x-title', 'q7\0'],
    ['x title', 'q7'],
    ['x-title\r\nx-evil', 'q7'],
    ['', 'q7'],
    ['Host', 'evil.example'],
    ['Content-Length', '0'],
    ['Transfer-Encoding', 'chunked'],
    ['Connection', 'x-title'],
    ['Proxy-Authorization', 'Basic x'],
    ['Webhook-Signature', 'v1,x'],
    ['webhook-id', 'msg_2'],
    ['webhook-timestamp', '1'],
  ])('never sends the header %j with %j', async (name, title) => {
    const outcome = await run({ headers: { [name]: ':title' } }, { title });
    expect(outcome).toMatchObject({ succeeded: false, statusCode: 0, reason: expect.stringMatching(/^invalid header: /) });
    expect(outcome.reason).not.toContain(title);
    expect(receiver.requests).toEqual([]);
  });

  it.each([200, 201, 202, 204, 299])('has succeeded when it is answered %i', async (status) => {
    receiver.answer = (_, response) => void response.writeHead(status).end();
    expect(await run({})).toEqual({ succeeded: true, statusCode: status, reason: null, payload: null });
  });

  it.each([
    [301, 'redirect: 127.0.0.1 answered 301; redirects are not followed'],
    [304, 'redirect: 127.0.0.1 answered 304; redirects are not followed'],
    [400, 'http-4xx: 127.0.0.1 answered 400'],
    [429, 'http-4xx: 127.0.0.1 answered 429'],
    [500, 'http-5xx: 127.0.0.1 answered 500'],
    [503, 'http-5xx: 127.0.0.1 answered 503'],
  ])('has failed when it is answered %i, and may be tried again', async (status, reason) => {
    receiver.answer = (_, response) => void response.writeHead(status, { location: `${receiver.origin()}/secret` }).end('secret');
    expect(await run({})).toEqual({ succeeded: false, statusCode: status, reason, payload: null });
    expect(receiver.requests).toHaveLength(1);
  });

  it('ends with 410', async () => {
    receiver.answer = (_, response) => void response.writeHead(410).end();
    const reason = 'http-4xx: 127.0.0.1 answered 410 and wants no more of this message';
    expect(await run({})).toEqual({ succeeded: false, statusCode: 410, reason, payload: null, final: true });
  });

  it.each([429, 503, 500])('waits as long as %i asks it to', async (status) => {
    receiver.answer = (_, response) => void response.writeHead(status, { 'retry-after': '120' }).end();
    expect(await run({})).toMatchObject({ succeeded: false, retryAfterSeconds: 120 });
  });

  it('waits until the moment that is asked for', async () => {
    clock = new FakeClock(new Date('2026-01-01T00:00:00Z'));
    receiver.answer = (_, response) => void response.writeHead(503, { 'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT' }).end();
    expect(await run({})).toMatchObject({ retryAfterSeconds: 120 });
  });

  it('ignores Retry-After of a successful response', async () => {
    receiver.answer = (_, response) => void response.writeHead(200, { 'retry-after': '120' }).end();
    expect(await run({})).not.toHaveProperty('retryAfterSeconds');
  });

  it('is carried out by the service, and reaches the addresses of EGRESS_ALLOWLIST', async () => {
    const service = await startTestContext({ egressAllowlist: ['127.0.0.1'] });
    try {
      const runner = service.get(HttpsInstructionService);
      expect(await runner.run(attemptOf({}))).toMatchObject({ succeeded: true, statusCode: 204 });
      expect(await runner.run(attemptOf({ url: receiver.origin('localhost') }))).toMatchObject({
        succeeded: false,
        statusCode: 0,
        reason: 'plain http: localhost must be called by https',
      });
      expect(await runner.run(attemptOf({ url: `https://localhost:${receiver.port}` }))).toMatchObject({
        succeeded: false,
        statusCode: 0,
        reason: expect.stringMatching(/^(blocked address: localhost is \S+, a loopback address|dns: .*)$/),
      });
      expect(receiver.requests).toHaveLength(1);
    } finally {
      await service.close();
    }
  });
});
