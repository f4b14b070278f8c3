import { StorageError } from '../http/storage-error.js';
import { ALGORITHMS, type Algorithm, checksumHeader, checksumLength } from './checksum.js';

/** A checksum that a client sends with a body. */
export interface ExpectedChecksum {
  readonly algorithm: Algorithm;
  /** In Base64; undefined: it follows the body as a trailing header. */
  readonly value?: string;
}

/** The checksum that a request announces; undefined when there is none. @throws StorageError for a malformed one, or several */
export function expectedChecksum(headers: ReadonlyMap<string, string>): ExpectedChecksum | undefined {
  const trailer = headers.get('x-amz-trailer')?.trim().toLowerCase();
  const found = ALGORITHMS.filter((algorithm) => headers.has(checksumHeader(algorithm)) || trailer === checksumHeader(algorithm));
  const [algorithm] = found;
  if (found.length > 1) throw new StorageError('InvalidRequest', 'Expecting a single x-amz-checksum- header.');
  if (algorithm === undefined) {
    if (trailer) throw new StorageError('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported.');
    return undefined;
  }
  const value = headers.get(checksumHeader(algorithm));
  return { algorithm, value: value === undefined ? undefined : checkForm(algorithm, value) };
}

/** @throws StorageError when a text cannot be a checksum of this kind */
export function checkForm(algorithm: Algorithm, value: string): string {
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length === checksumLength(algorithm) && bytes.toString('base64') === value) return value;
  throw new StorageError('InvalidRequest', `Value for ${checksumHeader(algorithm)} header is invalid.`);
}
