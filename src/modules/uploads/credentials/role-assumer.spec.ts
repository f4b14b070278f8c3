import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../shared/config/index.js';
import { RoleAssumer } from './role-assumer.js';

const answer = (fields: Readonly<Record<string, string>>): string => {
  const elements = Object.entries(fields).map(([name, value]) => `<${name}>${value}</${name}>`);
  return `<AssumeRoleResponse><AssumeRoleResult><Credentials>${elements.join('\n')}</Credentials></AssumeRoleResult></AssumeRoleResponse>`;
};
const FIELDS = { AccessKeyId: 'A', SecretAccessKey: 's/+=', SessionToken: 't', Expiration: '2030-01-01T00:00:00Z' };
const CREDENTIALS = { ...FIELDS, Expiration: '2030-01-01T00:00:00.000Z' };
const REQUEST = { policy: '{"ä": "b&c=d+e %2F"}', ttlSeconds: 900, sessionName: 'upload' };

type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

const succeed =
  (fields: Readonly<Record<string, string>> = FIELDS): Behaviour =>
  (response) =>
    void response.setHeader('content-type', 'text/xml').end(answer(fields));
const fail =
  (status: number, code: string): Behaviour =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'text/xml' })
      .end(`<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>No.</Message></Error></ErrorResponse>`);

let server: Server;
let behaviours: Behaviour[];
let requests: { headers: IncomingMessage['headers']; path: string | undefined; body: string }[];
let role: RoleAssumer;

/** One that made its first call, by the SDK: from the second on it knows the way. */
beforeEach(async () => {
  [behaviours, requests] = [[], []];
  server = createServer(async (request, response) => {
    requests.push({ headers: request.headers, path: request.url, body: await text(request) });
    (behaviours.shift() ?? succeed())(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stsEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const storageKey = { accessKeyId: 'key', secretAccessKey: 'secret' };
  role = new RoleAssumer({ ...loadConfig({}), stsEndpoint, stsRoleArn: 'arn:aws:iam::1:role/media', storageKey });
  await role.assume(REQUEST);
});

afterEach(async () => {
  role.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('the second call of AssumeRole and those after it', () => {
  it('ask like the SDK and answer the same', async () => {
    expect(await role.assume(REQUEST)).toEqual(CREDENTIALS);
    const [bySdk, byUs] = requests.map(({ path, body, headers: { host, 'content-type': type, authorization } }) => ({
      path,
      host,
      type,
      form: Object.fromEntries(new URLSearchParams(body)),
      scope: authorization?.split(/[,=]/)[1],
    }));
    expect(byUs).toEqual(bySdk);
    expect(byUs?.form).toMatchObject({ Policy: REQUEST.policy, DurationSeconds: '900' });
  });

  it.each<[string, Behaviour]>([
    ['after a connection that broke', (_, request) => void request.socket.destroy()],
    ['after one call too many', fail(400, 'Throttling')],
    ['after a failure of STS', fail(503, 'ServiceUnavailable')],
  ])('are made again %s', async (_, behaviour) => {
    behaviours = [behaviour];
    expect(await role.assume(REQUEST)).toEqual(CREDENTIALS);
    expect(requests.slice(1)).toHaveLength(2);
  });

  it('are made three times at most', async () => {
    behaviours = Array.from({ length: 9 }, () => fail(503, 'ServiceUnavailable'));
    await expect(role.assume(REQUEST)).rejects.toThrow();
    expect(requests.slice(1)).toHaveLength(3);
  });

  it('are not made again when they were refused, and tell why', async () => {
    behaviours = [fail(400, 'PackedPolicyTooLarge')];
    await expect(role.assume(REQUEST)).rejects.toMatchObject({ name: 'PackedPolicyTooLargeException' });
    expect(requests.slice(1)).toHaveLength(1);
  });

  it('are read by the SDK where the answer stands in other words', async () => {
    behaviours = [succeed({ ...FIELDS, SessionToken: 'a&amp;b' })];
    expect(await role.assume(REQUEST)).toEqual({ ...CREDENTIALS, SessionToken: 'a&b' });
    expect(requests.slice(1)).toHaveLength(1);
  });

  it('fail when the answer has no credentials', async () => {
    behaviours = [succeed({ AccessKeyId: 'A' })];
    await expect(role.assume(REQUEST)).rejects.toThrow('without credentials');
  });

  it('follow the clock of STS when their own is wrong', async () => {
    const ahead = new Date(Date.now() + 3_600_000);
    behaviours = [
      (response, request) => {
        response.setHeader('date', ahead.toUTCString());
        fail(403, 'SignatureDoesNotMatch')(response, request);
      },
    ];
    await role.assume(REQUEST);
    const hour = (n: number) => String(requests[n]?.headers['x-amz-date']).slice(0, 11);
    expect(hour(2)).toBe(ahead.toISOString().replace(/[-:]/g, '').slice(0, 11));
  });
});
