import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { StorageError } from '../http/storage-error.js';
import { crc32c, crc64nvme } from './crc.js';

/** The checksums of S3 beside MD5, in the order in which they are looked for. */
export const ALGORITHMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** A checksum that is being computed. */
interface Digest {
  update(data: Buffer): void;
  digest(): Buffer;
}

export const isAlgorithm = (name: string): name is Algorithm => ALGORITHMS.some((known) => known === name);

/** The header of a checksum: x-amz-checksum-crc32 */
export const checksumHeader = (algorithm: Algorithm): string => `x-amz-checksum-${algorithm.toLowerCase()}`;

/** The element of a checksum in documents: ChecksumCRC32 */
export const checksumElement = (algorithm: Algorithm): string => `Checksum${algorithm}`;

/** How many bytes a checksum has. */
const checksumLength = (algorithm: Algorithm): number => makeDigest(algorithm).digest().length;

export function makeDigest(algorithm: Algorithm): Digest {
  if (algorithm === 'CRC64NVME') return new Crc64();
  if (algorithm === 'CRC32') return new Crc32(crc32);
  if (algorithm === 'CRC32C') return new Crc32(crc32c);
  const hash = createHash(algorithm.toLowerCase());
  return { update: (data) => void hash.update(data), digest: () => hash.digest() };
}

class Crc32 implements Digest {
  private value = 0;

  constructor(private readonly step: (data: Buffer, before: number) => number) {}

  update(data: Buffer): void {
    this.value = this.step(data, this.value);
  }

  digest(): Buffer {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(this.value);
    return bytes;
  }
}

class Crc64 implements Digest {
  private value = 0n;

  update(data: Buffer): void {
    this.value = crc64nvme(data, this.value);
  }

  digest(): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(this.value);
    return bytes;
  }
}

/** A checksum that a client sends with a body. */
interface ExpectedChecksum {
  readonly algorithm: Algorithm;
  /** In Base64; undefined: it follows the body as a trailing header. */
  readonly value?: string;
}

/** The checksum that a request announces; undefined without one. @throws StorageError for a malformed one, or several */
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
