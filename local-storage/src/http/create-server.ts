import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { handleS3, type S3Context } from '../s3/handle-s3.js';
import { MAX_DOCUMENT_BYTES } from '../settings.js';
import { handleSts, stsErrorAnswer } from '../sts/handle-sts.js';
import { type Answer, readIncoming, StorageError, xmlDocument } from './messages.js';

/** Fits a session token with a long policy and metadata; AWS allows about as much. */
const MAX_HEADER_BYTES = 32 * 1024;

/** The stores, keys and error handler with which requests are answered. */
export interface ServerContext extends Omit<S3Context, 'source'> {
  /** Receives unexpected errors, which are not the client's fault. */
  report(error: unknown): void;
}

export function createObjectStorageServer(context: ServerContext): Server {
  const answer = (request: IncomingMessage, response: ServerResponse) => void serve(request, response, context);
  // No request timeout, because uploads over slow connections take long; the headers timeout ends clients that send nothing.
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0 }, answer);
  server.on('checkContinue', answer); // bodySource() sends the 100 Continue when the body is read
  return server;
}

async function serve(request: IncomingMessage, response: ServerResponse, context: ServerContext): Promise<void> {
  // Clients whose clock is wrong read the time from this header and retry with it.
  response.setHeader('date', context.authority.now().toUTCString());
  try {
    await send(request, response, await answerTo(request, response, context));
  } catch (error) {
    // The client disconnected, or reading failed after the status was sent; the client notices the missing data.
    if (!request.destroyed && !isConnectionEnd(error)) context.report(error);
    response.destroy();
  }
}

async function answerTo(request: IncomingMessage, response: ServerResponse, context: ServerContext): Promise<Answer> {
  if (request.method === 'OPTIONS') return { status: 204, headers: preflightHeaders(request) };
  const isSts = request.method === 'POST' && /^\/(\?|$)/.test(request.url ?? '');
  const source = bodySource(request, response);
  try {
    const incoming = readIncoming(request);
    if (isSts) return handleSts(incoming, await readSmall(source()), context.authority);
    return await handleS3(incoming, { ...context, source });
  } catch (error) {
    if (isConnectionEnd(error)) throw error;
    const refusal = error instanceof StorageError ? error : internalError(error, context);
    return isSts ? stsErrorAnswer(refusal) : s3ErrorAnswer(refusal, request);
  }
}

function internalError(error: unknown, { report }: ServerContext): StorageError {
  report(error);
  return new StorageError('InternalError');
}

/** The body, requested only when it is read, so that a refused client need not send it. */
function bodySource(request: IncomingMessage, response: ServerResponse): () => AsyncIterable<Buffer> {
  const waits = request.headers.expect?.toLowerCase() === '100-continue';
  if (waits) response.shouldKeepAlive = false; // a client that gets no 100 Continue may send either the body or the next request
  return () => {
    if (waits) response.writeContinue();
    response.shouldKeepAlive = true;
    return request;
  };
}

async function readSmall(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of source) {
    size += piece.length;
    if (size > MAX_DOCUMENT_BYTES) throw new StorageError('InvalidRequest', 'The request is too large.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  const ids = { 'x-amz-request-id': randomBytes(8).toString('hex').toUpperCase(), server: 'MediaObjectStorage' };
  const length = typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : body ? {} : emptyLength(status, headers);
  response.writeHead(status, { ...CORS_HEADERS, ...ids, ...length, ...headers });
  if (request.method === 'HEAD' || body === undefined) response.end();
  else if (typeof body === 'string') response.end(body);
  else await pipeline(body, response);
}

const emptyLength = (status: number, headers: Answer['headers']): Answer['headers'] =>
  status === 204 || status === 304 || 'content-length' in headers ? {} : { 'content-length': 0 };

function s3ErrorAnswer({ code, status, message, details }: StorageError, request: IncomingMessage): Answer {
  const content = {
    Code: code,
    Message: message,
    ...details,
    Resource: pathOf(request),
    RequestId: randomBytes(8).toString('hex').toUpperCase(),
  };
  return { status, headers: { 'content-type': 'application/xml' }, body: xmlDocument('Error', content) };
}

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?')[0] ?? '/';

function isConnectionEnd(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? '';
  return ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(code);
}

/** Pages of any origin may use the storage: access requires a signature, which no browser adds by itself, and there are no cookies. */
const CORS_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [
    'ETag',
    'Content-Length',
    'Content-Range',
    'Content-Disposition',
    'Last-Modified',
    'Accept-Ranges',
    'x-amz-request-id',
    'x-amz-id-2',
    'x-amz-checksum-crc32',
    'x-amz-checksum-crc32c',
    'x-amz-checksum-crc64nvme',
    'x-amz-checksum-sha1',
    'x-amz-checksum-sha256',
    'x-amz-checksum-type',
  ].join(', '),
};

const MAX_AGE_SECONDS = 3_600;

/** The headers of a preflight response. Headers are allowed by name, because `*` does not include Authorization. */
function preflightHeaders({ headers }: IncomingMessage): Record<string, string> {
  return {
    ...CORS_HEADERS,
    'access-control-allow-methods': 'GET, HEAD, PUT, POST, DELETE',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': String(MAX_AGE_SECONDS),
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  };
}
