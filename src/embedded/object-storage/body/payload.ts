import { createHash } from 'node:crypto';
import { StorageError } from '../http/storage-error.js';
import type { Signer } from '../signature/check-signature.js';
import { type Algorithm, checkForm, checksumHeader, expectedChecksum, makeDigest } from './checksum.js';
import { decodeChunks } from './chunk-decoder.js';

/** What was promised about a body before it came. */
export interface BodyPromise {
  readonly headers: ReadonlyMap<string, string>;
  /** A hash in hex, UNSIGNED-PAYLOAD or one of the STREAMING words. */
  readonly payload: string;
  readonly signer: Signer;
}

/** What a body was found to be. */
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
  /** Takes the data piece by piece. */
  consume(data: Buffer): Promise<void> | void;
  /** A checksum to compute although the client sends none. */
  readonly compute?: Algorithm;
}

const STREAMING: Readonly<Record<string, { signed: boolean; trailer: boolean }>> = {
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { signed: true, trailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { signed: true, trailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { signed: false, trailer: true },
};

/** The length of the data as the request states it. @throws StorageError when it states none */
export function statedLength({ headers, payload }: Pick<BodyPromise, 'headers' | 'payload'>): number {
  const text = headers.get(STREAMING[payload] ? 'x-amz-decoded-content-length' : 'content-length');
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw new StorageError('MissingContentLength');
  return Number(text);
}

/**
 * Hands the data of a body on piece by piece, and answers what it was, when all that the request promised about it is true.
 * @throws StorageError otherwise; then nothing of it may be kept
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

/** The data of a body without its framing; the trailing headers at its end. */
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
