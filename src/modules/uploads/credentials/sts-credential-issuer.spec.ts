import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../shared/config/index.js';
import { createLog } from '../../../shared/logging/index.js';
import { StsCredentialIssuer } from './sts-credential-issuer.js';

const HOUR = 3_600;
const REFUSAL = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>ValidationError</Code>
<Message>The requested DurationSeconds exceeds the MaxSessionDuration set for this role.</Message></Error></ErrorResponse>`;
const ANSWER = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>A</AccessKeyId>
<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration></Credentials>
</AssumeRoleResult></AssumeRoleResponse>`;

/** An STS whose role allows no more than an hour, and what it was asked for. */
let server: Server;
const asked: number[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const seconds = Number(new URLSearchParams(body).get('DurationSeconds'));
    asked.push(seconds);
    response.writeHead(seconds > HOUR ? 400 : 200, { 'content-type': 'text/xml' }).end(seconds > HOUR ? REFUSAL : ANSWER);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('a role that allows no credentials of more than an hour', () => {
  it('is found out once, also by calls at the same moment, which all get an hour', async () => {
    const { port } = server.address() as AddressInfo;
    const storageKey = { accessKeyId: 'key', secretAccessKey: 'secret' };
    const config = { ...loadConfig({}), stsEndpoint: `http://127.0.0.1:${port}`, stsRoleArn: 'arn:aws:iam::1:role/media', storageKey };
    const issuer = new StsCredentialIssuer(config, createLog({ level: 'silent', service: 'test' }));
    const request = { policy: '{}', ttlSeconds: 12 * HOUR, sessionName: 'upload' };
    const issued = await Promise.all(Array.from({ length: 4 }, async () => await issuer.issue(request)));
    expect(issued.map(({ AccessKeyId }) => AccessKeyId)).toEqual(['A', 'A', 'A', 'A']);
    asked.length = 0;
    await issuer.issue(request);
    await issuer.issue({ ...request, ttlSeconds: 900 });
    expect(asked).toEqual([HOUR, 900]);
    issuer.onApplicationShutdown();
  });
});
