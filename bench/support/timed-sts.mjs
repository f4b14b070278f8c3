// A security token service that returns credentials after DELAY_MS and counts calls: GET /calls returns the number and resets it.
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';

const delayMs = Number(process.env.DELAY_MS ?? 0);
let calls = 0;

const answer = () => `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
<AccessKeyId>ASIA${calls}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>${'t'.repeat(400)}</SessionToken>
<Expiration>${new Date(Date.now() + 900_000).toISOString()}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;

const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    response.end(String(calls));
    calls = 0;
    return;
  }
  for await (const _ of request); // read to the end
  calls += 1;
  if (delayMs > 0) await setTimeout(delayMs);
  response.setHeader('content-type', 'text/xml').end(answer());
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'));
