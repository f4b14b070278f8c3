// Sends signed messages with undici only, like a service that records nothing about them. Prints messages per second.
import { createHmac, randomUUID } from 'node:crypto';
import { Pool } from 'undici';

const { ORIGIN, COUNT, CONNECTIONS } = process.env;
const pool = new Pool(ORIGIN, { connections: Number(CONNECTIONS), pipelining: 1 });
const key = Buffer.from('a key for signatures of a bench, 32 b');
const body = JSON.stringify({
  id: 1,
  name: 'event:releaseRequest',
  customerId: 1,
  method: 'create',
  payload: { mediaContainerId: 1, requesterId: 1, message: 'm' },
  createdAt: new Date(),
});
let left = Number(COUNT);

async function client() {
  while (left > 0) {
    left -= 1;
    const [id, timestamp] = [`msg_${randomUUID()}`, String(Math.floor(Date.now() / 1_000))];
    const signature = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    };
    const answer = await pool.request({ path: '/count', method: 'POST', headers, body });
    await answer.body.dump();
  }
}

const start = performance.now();
await Promise.all(Array.from({ length: Number(CONNECTIONS) }, client));
console.log(`rate ${(Number(COUNT) / (performance.now() - start)) * 1_000} end`);
await pool.close();
