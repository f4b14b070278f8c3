import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../../shared/clock.js';
import { loadConfig } from '../../../shared/config/index.js';
import { HealthChecksService } from '../../../shared/health/health-checks.service.js';
import { createLog } from '../../../shared/logging/index.js';
import { PolicyTooLarge } from './credential-issuer.port.js';
import { StsCredentialIssuer } from './sts-credential-issuer.adapter.js';

const HOUR = 3_600;
const FIELDS = { AccessKeyId: 'A', SecretAccessKey: 's/+=', SessionToken: 't', Expiration: '2030-01-01T00:00:00Z' };
const CREDENTIALS = { ...FIELDS, Expiration: '2030-01-01T00:00:00.000Z' };
const REQUEST = { policy: '{"ä": "b&c=d+e %2F"}', ttlSeconds: 900, sessionName: 'upload' };

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly socket: Socket;
  readonly form: Record<string, string>;
}

type Behaviour = (response: ServerResponse, request: IncomingMessage, form: Record<string, string>) => void;

const succeed =
  (fields: Readonly<Record<string, string>> = FIELDS): Behaviour =>
  (response) => {
    const elements = Object.entries(fields).map(([name, value]) => `<${name}>${value}</${name}>`);
    const result = `<AssumeRoleResult><Credentials>${elements.join('\n')}</Credentials></AssumeRoleResult>`;
    response.setHeader('content-type', 'text/xml').end(`<AssumeRoleResponse>${result}</AssumeRoleResponse>`);
  };

const fail =
  (status: number, code: string, message = 'No.'): Behaviour =>
  (response) => {
    const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
    response.writeHead(status, { 'content-type': 'text/xml' }).end(`<ErrorResponse>${error}</ErrorResponse>`);
  };

let server: Server;
/** What the service answers next; afterwards `usual`. */
let behaviours: Behaviour[];
let usual: Behaviour;
let requests: Received[];
let issuer: StsCredentialIssuer;

beforeEach(async () => {
  [behaviours, usual, requests] = [[], succeed(), []];
  server = createServer(async (request, response) => {
    const { headers, socket } = request;
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    requests.push({ headers, socket, form });
    (behaviours.shift() ?? usual)(response, request, form);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stsEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const storageKey = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const config = { ...loadConfig({}), stsEndpoint, stsRoleArn: 'arn:aws:iam::1:role/media', storageKey };
  const log = createLog({ level: 'silent', service: 'test' });
  issuer = new StsCredentialIssuer(config, log, new HealthChecksService(new FakeClock(new Date()), log));
});

afterEach(async () => {
  issuer.onApplicationShutdown();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('credentials of STS', () => {
  it('are those of the role, narrowed by the policy', async () => {
    expect(await issuer.issue(REQUEST)).toEqual(CREDENTIALS);
    expect(requests[0]?.form).toEqual({
      Action: 'AssumeRole',
      Version: '2011-06-15',
      RoleArn: 'arn:aws:iam::1:role/media',
      RoleSessionName: 'upload',
      Policy: REQUEST.policy,
      DurationSeconds: '900',
    });
  });

  it('are asked for with a new signature each time, on one connection', async () => {
    await issuer.issue(REQUEST);
    await issuer.issue(REQUEST);
    const signatures = requests.map(({ headers }) => headers.authorization ?? '');
    for (const signature of signatures) {
      expect(signature).toMatch(
        /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/us-east-1\/sts\/aws4_request, SignedHeaders=[^,]*\bhost;[^,]*x-amz-date[;,]/,
      );
    }
    expect(new Set(requests.map(({ headers }) => headers['amz-sdk-invocation-id'])).size).toBe(2);
    expect(new Set(signatures).size).toBe(2);
    expect(new Set(requests.map(({ socket }) => socket)).size).toBe(1);
  });

  it('are read from XML with references to characters', async () => {
    usual = succeed({ ...FIELDS, SessionToken: 'a&amp;b' });
    expect(await issuer.issue(REQUEST)).toEqual({ ...CREDENTIALS, SessionToken: 'a&b' });
  });

  it.each<[string, Behaviour]>([
    ['a connection that broke', (_, request) => void request.socket.destroy()],
    ['throttling', fail(400, 'Throttling')],
    ['a failure of STS', fail(503, 'ServiceUnavailable')],
  ])('are asked for again after %s', async (_, behaviour) => {
    behaviours = [behaviour];
    expect(await issuer.issue(REQUEST)).toEqual(CREDENTIALS);
    expect(requests).toHaveLength(2);
  });

  it('are asked for three times at most', async () => {
    usual = fail(503, 'ServiceUnavailable');
    await expect(issuer.issue(REQUEST)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(requests).toHaveLength(3);
  });

  it('are not asked for again when the policy is too large', async () => {
    usual = fail(400, 'PackedPolicyTooLarge');
    await expect(issuer.issue(REQUEST)).rejects.toThrow(PolicyTooLarge);
    expect(requests).toHaveLength(1);
  });

  it('cannot be had without the right to assume the role', async () => {
    usual = fail(403, 'AccessDenied');
    await expect(issuer.issue(REQUEST)).rejects.toMatchObject({ code: 'storage_denied' });
    expect(requests).toHaveLength(1);
  });

  it.each(['RequestTimeTooSkewed', 'RequestExpired'])('cannot be had while STS refuses the clock of the service: %s', async (code) => {
    usual = fail(403, code);
    const unavailable = { kind: 'unavailable', code: 'storage_unavailable', extras: { retryAfter: 5 } };
    await expect(issuer.issue(REQUEST)).rejects.toMatchObject(unavailable);
  });

  it('cannot be had from an answer that lacks some of them', async () => {
    usual = succeed({ AccessKeyId: 'A' });
    await expect(issuer.issue(REQUEST)).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  it('are signed by the clock of STS when the clock of the service is wrong', async () => {
    const ahead = new Date(Date.now() + 3_600_000);
    behaviours = [
      (response, request, form) => {
        response.setHeader('date', ahead.toUTCString());
        fail(403, 'SignatureDoesNotMatch')(response, request, form);
      },
    ];
    expect(await issuer.issue(REQUEST)).toEqual(CREDENTIALS);
    const hour = String(requests[1]?.headers['x-amz-date']).slice(0, 11);
    expect(hour).toBe(ahead.toISOString().replace(/[-:]/g, '').slice(0, 11));
  });
});

describe('a role that allows no credentials of more than an hour', () => {
  it('is found out once, also by calls at the same moment, which all get an hour', async () => {
    const refusal = fail(400, 'ValidationError', 'The requested DurationSeconds exceeds the MaxSessionDuration set for this role.');
    usual = (response, request, form) => (Number(form.DurationSeconds) > HOUR ? refusal : succeed())(response, request, form);
    const request = { ...REQUEST, ttlSeconds: 12 * HOUR };
    const issued = await Promise.all(Array.from({ length: 4 }, async () => await issuer.issue(request)));
    expect(issued.map(({ AccessKeyId }) => AccessKeyId)).toEqual(['A', 'A', 'A', 'A']);
    const asked = requests.length;
    await issuer.issue(request);
    await issuer.issue({ ...request, ttlSeconds: 900 });
    expect(requests.slice(asked).map(({ form }) => form.DurationSeconds)).toEqual([String(HOUR), '900']);
  });
});
