// An OpenTelemetry collector that accepts everything and stores nothing.
import { createServer } from 'node:http';

createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'));
