// Receives events and records when each arrived. POST /never gets no response, /slow after 14 s, everything else at once.
import { createServer } from 'node:http';

const SLOW_MS = 14_000;
let arrivals = [];
let count = 0;

createServer((request, response) => {
  if (request.method === 'GET') return void answer(request, response);
  const at = Date.now();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url === '/never') return;
    if (request.url === '/slow') return void setTimeout(() => response.writeHead(204).end(), SLOW_MS).unref();
    count += 1;
    if (request.url !== '/count') arrivals.push([JSON.parse(Buffer.concat(chunks)).payload.message, at]);
    response.writeHead(204).end();
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'));

/** GET /count: how many arrived; GET /arrivals: the messages of the events with the time of each, which are then discarded. */
function answer(request, response) {
  const body = request.url === '/count' ? { count } : arrivals;
  if (request.url === '/arrivals') arrivals = [];
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
