import type { IncomingMessage } from 'node:http';
import { httpErrors } from './render-error.js';
import { whyUnreadable } from './why-unreadable.js';

/**
 * The JSON of a request in front of Express, as the parsers behind it read it; the caller has looked at its size and type. Throws
 * `malformed_request`.
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = parse(await readBytes(request));
  const reason = whyUnreadable(body);
  if (reason !== null) throw httpErrors.malformed_request(`The request body ${reason}.`);
  return body;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)); // leaves out the mark that some editors put in front
  } catch {
    throw httpErrors.malformed_request('The request body is not valid JSON.');
  }
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const leave = () => reject(httpErrors.malformed_request('The request ended before its body was complete.'));
    if (request.destroyed) return leave();
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', leave).once('close', leave); // after the end it says nothing new
  });
}
