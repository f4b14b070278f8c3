import { createHash, type Hash } from 'node:crypto';
import { StorageError } from '../http/messages.js';
import { type Signer, sameText, sha256Hex, signatureOf } from '../signature/signature.js';
import { type Algorithm, checkForm, checksumHeader, expectedChecksum, makeDigest } from './checksum.js';

/** What the headers of a request state about its body. */
export interface BodyPromise {
  readonly headers: ReadonlyMap<string, string>;
  /** A SHA-256 hash in hex, UNSIGNED-PAYLOAD or one of the STREAMING values. */
  readonly payload: string;
  readonly signer: Signer;
}

/** The size and the hashes of a received body. */
export interface BodyFacts {
  readonly size: number;
  /** In hex. */
  readonly md5: string;
  readonly checksum?: Checksum;
}

export interface Checksum {
  readonly algorithm: Algorithm;
  /** In Base64. */
  readonly value: string;
}

interface Consumer {
  /** Receives the data piece by piece. */
  consume(data: Buffer): Promise<void> | void;
  /** A checksum to compute if the client sends none. */
  readonly compute?: Algorithm;
}

const STREAMING: Readonly<Record<string, { signed: boolean; trailer: boolean }>> = {
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { signed: true, trailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { signed: true, trailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { signed: false, trailer: true },
};

/** The length of the data in bytes, as the request states it. @throws StorageError if it states none */
export function statedLength({ headers, payload }: Pick<BodyPromise, 'headers' | 'payload'>): number {
  const text = headers.get(STREAMING[payload] ? 'x-amz-decoded-content-length' : 'content-length');
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw new StorageError('MissingContentLength');
  return Number(text);
}

/**
 * Passes the data of a body to `consume` piece by piece, and returns its size and hashes if they match everything that the request stated.
 * @throws StorageError otherwise; the caller must then discard the data
 */
export async function receive(source: AsyncIterable<Buffer>, promise: BodyPromise, { consume, compute }: Consumer): Promise<BodyFacts> {
  const length = statedLength(promise);
  const md5 = createHash('md5');
  const sha256 = /^[0-9a-f]{64}$/i.test(promise.payload) ? createHash('sha256') : null;
  const expected = expectedChecksum(promise.headers);
  const algorithm = expected?.algorithm ?? compute;
  const sum = algorithm && makeDigest(algorithm);
  let size = 0;
  const data = dataOf(source, promise);
  let piece = await data.next();
  for (; !piece.done; piece = await data.next()) {
    size += piece.value.length;
    if (size > length) throw new StorageError('IncompleteBody', 'The body is longer than stated.');
    for (const digest of [md5, sum, sha256]) digest?.update(piece.value);
    await consume(piece.value);
  }
  if (size !== length) throw new StorageError('IncompleteBody');
  if (sha256 && sha256.digest('hex') !== promise.payload.toLowerCase()) throw new StorageError('XAmzContentSHA256Mismatch');
  const value = sum?.digest().toString('base64');
  if (expected) checkSum(expected.algorithm, value, expected.value ?? piece.value.get(checksumHeader(expected.algorithm)));
  const md5Bytes = md5.digest();
  checkMd5(promise.headers.get('content-md5'), md5Bytes);
  return { size, md5: md5Bytes.toString('hex'), checksum: algorithm && value ? { algorithm, value } : undefined };
}

type Data = AsyncIterator<Buffer, ReadonlyMap<string, string>>;

/** Yields the data of a body without its framing; returns the trailing headers. */
function dataOf(source: AsyncIterable<Buffer>, { payload, signer }: BodyPromise): Data {
  const streaming = STREAMING[payload];
  if (streaming) return decodeChunks(source, { signer: streaming.signed ? signer : null, trailer: streaming.trailer });
  if (payload.startsWith('STREAMING-')) throw new StorageError('NotImplemented', `${payload} is not supported here.`);
  if (payload !== 'UNSIGNED-PAYLOAD' && !/^[0-9a-f]{64}$/i.test(payload)) {
    throw new StorageError('InvalidArgument', 'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a STREAMING value or a valid sha256 value.');
  }
  return plain(source);
}

async function* plain(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, ReadonlyMap<string, string>> {
  yield* source;
  return new Map();
}

function checkSum(algorithm: Algorithm, computed: string | undefined, sent: string | undefined): void {
  if (sent === undefined) throw new StorageError('InvalidRequest', `The trailing header ${checksumHeader(algorithm)} is missing.`);
  if (checkForm(algorithm, sent) !== computed)
    throw new StorageError('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`);
}

function checkMd5(sent: string | undefined, computed: Buffer): void {
  if (sent === undefined) return;
  const bytes = Buffer.from(sent, 'base64');
  if (bytes.length !== 16 || bytes.toString('base64') !== sent)
    throw new StorageError('InvalidDigest', 'The Content-MD5 you specified was invalid.');
  if (!bytes.equals(computed)) throw new StorageError('BadDigest', 'The Content-MD5 you specified did not match what we received.');
}

/** How an aws-chunked body is secured. */
export interface ChunkRules {
  /** Checks the signature of each chunk; null: the body is not signed. */
  readonly signer: Signer | null;
  /** Whether header lines (checksums) follow the last chunk. */
  readonly trailer: boolean;
}

const EMPTY_HASH = sha256Hex('');
/** Longer than any valid line, which contains a size in hex and a signature. */
const MAX_LINE_BYTES = 1_024;
const MAX_TRAILER_LINES = 8;

/**
 * Decodes an aws-chunked body: `<size in hex>[;chunk-signature=<signature>]`, the data, and so on; the last chunk is empty
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html). Yields data as it arrives; the consumer must discard it
 * unless the generator ends without an error. Returns the trailing headers.
 */
export async function* decodeChunks(
  source: AsyncIterable<Buffer>,
  { signer, trailer }: ChunkRules,
): AsyncGenerator<Buffer, Map<string, string>> {
  const bytes = new ByteQueue(source);
  const chain = signer && new SignatureChain(signer);
  for (;;) {
    const { size, signature } = parseChunkLine(await bytes.line(MAX_LINE_BYTES));
    chain?.startChunk();
    for (let left = size; left > 0; ) {
      const data = await bytes.upTo(left);
      chain?.update(data);
      left -= data.length;
      yield data;
    }
    chain?.check(signature);
    if (size === 0) break;
    if ((await bytes.line(MAX_LINE_BYTES)) !== '') throw new StorageError('IncompleteBody', 'A chunk does not end where it should.');
  }
  const trailers = await readTrailers(bytes, chain, trailer);
  await bytes.drain();
  return trailers;
}

function parseChunkLine(line: string): { size: number; signature: string } {
  const match = /^([0-9a-f]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(line);
  if (!match) throw new StorageError('InvalidRequest', 'A chunk begins with a malformed line.');
  return { size: Number.parseInt(match[1] ?? '', 16), signature: match[2] ?? '' };
}

/** Reads lines `name:value`; in a signed body the last line is the signature of the others. */
async function readTrailers(bytes: ByteQueue, chain: SignatureChain | null, expected: boolean): Promise<Map<string, string>> {
  const lines: [string, string][] = [];
  for (;;) {
    const line = await bytes.line(MAX_LINE_BYTES, { orEnd: true });
    if (line === '') break;
    const [name = '', value = ''] = line.split(/:(.*)/s);
    lines.push([name.toLowerCase().trim(), value.trim()]);
    if (lines.length > MAX_TRAILER_LINES) throw new StorageError('InvalidRequest', 'Too many trailing headers.');
  }
  const signature = lines.find(([name]) => name === 'x-amz-trailer-signature')?.[1] ?? '';
  const headers = lines.filter(([name]) => name !== 'x-amz-trailer-signature');
  if (headers.length > 0 && !expected) throw new StorageError('InvalidRequest', 'Trailing headers were not announced.');
  if (chain && expected) chain.checkTrailer(headers.map(([name, value]) => `${name}:${value}\n`).join(''), signature);
  return new Map(headers);
}

/** Each signature covers the previous one, so that chunks cannot be omitted or reordered. */
class SignatureChain {
  private previous: string;
  private hash: Hash;

  constructor(private readonly signer: Signer) {
    this.previous = signer.seed;
  }

  startChunk(): void {
    this.hash = createHash('sha256');
  }

  update(data: Buffer): void {
    this.hash.update(data);
  }

  check(signature: string): void {
    this.follow('AWS4-HMAC-SHA256-PAYLOAD', [EMPTY_HASH, this.hash.digest('hex')], signature);
  }

  checkTrailer(text: string, signature: string): void {
    this.follow('AWS4-HMAC-SHA256-TRAILER', [sha256Hex(text)], signature);
  }

  private follow(kind: string, hashes: readonly string[], signature: string): void {
    const { key, time, scope } = this.signer;
    this.previous = signatureOf(key, [kind, time, scope, this.previous, ...hashes].join('\n'));
    if (!sameText(this.previous, signature)) throw new StorageError('SignatureDoesNotMatch', 'The signature of a chunk does not match.');
  }
}

/** Reads lines and data from a stream of buffers; data is passed on in its original pieces, without copying. */
class ByteQueue {
  private readonly source: AsyncIterator<Buffer>;
  private head: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** A line without its CRLF. With `orEnd` the end of the stream also ends the line. @throws StorageError if it is too long or incomplete */
  async line(maxBytes: number, { orEnd = false } = {}): Promise<string> {
    for (let searched = 0; ; ) {
      const end = this.head.indexOf('\r\n', Math.max(0, searched - 1));
      if (end !== -1) return this.take(end + 2).toString('latin1', 0, end);
      if (this.head.length > maxBytes) throw new StorageError('InvalidRequest', 'A line of the chunked body is too long.');
      searched = this.head.length;
      if (await this.more()) continue;
      if (orEnd && this.head.length === 0) return '';
      throw new StorageError('IncompleteBody');
    }
  }

  /** Reads at least one byte and at most `count` bytes. */
  async upTo(count: number): Promise<Buffer> {
    while (this.head.length === 0) if (!(await this.more())) throw new StorageError('IncompleteBody');
    return this.take(Math.min(count, this.head.length));
  }

  /** Reads to the end of the stream, which must contain no more data. */
  async drain(): Promise<void> {
    while (await this.more()) if (this.head.length > 0) break;
    if (this.head.length > 0) throw new StorageError('InvalidRequest', 'More follows after the last chunk.');
  }

  private take(count: number): Buffer {
    const taken = this.head.subarray(0, count);
    this.head = this.head.subarray(count);
    return taken;
  }

  private async more(): Promise<boolean> {
    const { value, done } = await this.source.next();
    if (done) return false;
    this.head = this.head.length === 0 ? value : Buffer.concat([this.head, value]);
    return true;
  }
}
