import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AssumeRoleCommand } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../shared/config/index.js';
import { stsClient } from './sts-client.js';

const ANSWER = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>A</AccessKeyId>
<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration></Credentials>
</AssumeRoleResult></AssumeRoleResponse>`;

type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

const succeed: Behaviour = (response) => void response.setHeader('content-type', 'text/xml').end(ANSWER);
const fail =
  (status: number, code: string): Behaviour =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'text/xml' })
      .end(`<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>No.</Message></Error></ErrorResponse>`);

let server: Server;
let behaviours: Behaviour[];
let requests: IncomingMessage[];
let client: ReturnType<typeof stsClient>;

beforeEach(async () => {
  [behaviours, requests] = [[], []];
  server = createServer((request, response) => {
    request.resume();
    requests.push(request);
    (behaviours.shift() ?? succeed)(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stsEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = stsClient({ ...loadConfig({}), stsEndpoint, storageKey: { accessKeyId: 'key', secretAccessKey: 'secret' } });
});

afterEach(async () => {
  client.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const assumeRole = async () =>
  await client.send(new AssumeRoleCommand({ RoleArn: 'arn:aws:iam::1:role/media', RoleSessionName: 'upload' }));

describe('the client of STS', () => {
  it('signs every request anew, with its host and all that it sends', async () => {
    await assumeRole();
    await assumeRole();
    const signatures = requests.map(({ headers }) => headers.authorization ?? '');
    for (const signature of signatures) {
      expect(signature).toMatch(
        /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/us-east-1\/sts\/aws4_request, SignedHeaders=[^,]*\bhost;.*x-amz-date,/,
      );
    }
    expect(new Set(requests.map(({ headers }) => headers['amz-sdk-invocation-id'])).size).toBe(2);
    expect(new Set(signatures).size).toBe(2);
  });

  it.each<[string, Behaviour]>([
    ['whose connection broke', (_, request) => void request.socket.destroy()],
    ['that was one too many', fail(400, 'Throttling')],
    ['that met a failure of STS', fail(503, 'ServiceUnavailable')],
  ])('makes a call again %s', async (_, behaviour) => {
    behaviours = [behaviour];
    expect((await assumeRole()).Credentials?.AccessKeyId).toBe('A');
    expect(requests).toHaveLength(2);
  });

  it('makes no call more than three times', async () => {
    behaviours = Array.from({ length: 9 }, () => fail(503, 'ServiceUnavailable'));
    await expect(assumeRole()).rejects.toThrow();
    expect(requests).toHaveLength(3);
  });

  it('does not make a refused call again, and knows why it was refused', async () => {
    behaviours = [fail(400, 'PackedPolicyTooLarge')];
    await expect(assumeRole()).rejects.toMatchObject({ name: 'PackedPolicyTooLargeException' });
    expect(requests).toHaveLength(1);
  });

  it('follows the clock of STS when its own is wrong', async () => {
    const ahead = new Date(Date.now() + 3_600_000);
    behaviours = [
      (response) => {
        response.setHeader('date', ahead.toUTCString());
        fail(403, 'SignatureDoesNotMatch')(response, requests[0] as IncomingMessage);
      },
    ];
    await assumeRole();
    const hour = (request?: IncomingMessage) => String(request?.headers['x-amz-date']).slice(0, 11);
    expect(hour(requests[1])).toBe(ahead.toISOString().replace(/[-:]/g, '').slice(0, 11));
  });
});
