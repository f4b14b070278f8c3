import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { crc32c } from './crc32c.js';
import { crc64nvme } from './crc64nvme.js';

/** The checksums of S3 beside MD5, in the order in which they are looked for. */
export const ALGORITHMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** A checksum that is being computed. */
export interface Digest {
  update(data: Buffer): void;
  digest(): Buffer;
}

export const isAlgorithm = (name: string): name is Algorithm => ALGORITHMS.some((known) => known === name);

/** The header of a checksum: x-amz-checksum-crc32 */
export const checksumHeader = (algorithm: Algorithm): string => `x-amz-checksum-${algorithm.toLowerCase()}`;

/** The element of a checksum in documents: ChecksumCRC32 */
export const checksumElement = (algorithm: Algorithm): string => `Checksum${algorithm}`;

/** How many bytes a checksum has. */
export const checksumLength = (algorithm: Algorithm): number => makeDigest(algorithm).digest().length;

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
