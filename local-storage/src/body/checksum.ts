import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { StorageError } from '../http/messages.js';

/** The checksum algorithms of S3 other than MD5, in the order in which their headers are looked up. */
export const ALGORITHMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** A checksum that is being computed. */
interface Digest {
  update(data: Buffer): void;
  digest(): Buffer;
}

export const isAlgorithm = (name: string): name is Algorithm => ALGORITHMS.some((known) => known === name);

/** The header of a checksum, such as x-amz-checksum-crc32. */
export const checksumHeader = (algorithm: Algorithm): string => `x-amz-checksum-${algorithm.toLowerCase()}`;

/** The XML element of a checksum, such as ChecksumCRC32. */
export const checksumElement = (algorithm: Algorithm): string => `Checksum${algorithm}`;

/** The length of a checksum in bytes. */
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
  /** In Base64; undefined: a trailing header after the body contains it. */
  readonly value?: string;
}

/** The checksum that a request announces; undefined if there is none. @throws StorageError if it is malformed or there are several */
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

/** Returns the value if it is a well-formed checksum. @throws StorageError otherwise */
export function checkForm(algorithm: Algorithm, value: string): string {
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length === checksumLength(algorithm) && bytes.toString('base64') === value) return value;
  throw new StorageError('InvalidRequest', `Value for ${checksumHeader(algorithm)} header is invalid.`);
}

/** CRC-32C (Castagnoli, RFC 3720), reflected; eight consecutive tables process eight bytes per step. */
const CRC32C_POLYNOMIAL = 0x82f63b78;
const CRC32C_TABLE = makeTable();

/** Updates a checksum with more data; the initial value is 0. */
export function crc32c(data: Uint8Array, before = 0): number {
  let crc = ~before;
  let index = 0;
  for (const end = data.length - 7; index < end; index += 8)
    crc = mixEightBytes(CRC32C_TABLE, crc ^ word(data, index), word(data, index + 4));
  for (; index < data.length; index += 1) crc = (CRC32C_TABLE[(crc ^ (data[index] as number)) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Reads four bytes in little-endian order. */
function word(data: Uint8Array, index: number): number {
  const byte = (offset: number) => data[index + offset] as number;
  return byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24);
}

/** The contribution of eight bytes; the first byte is the farthest from the end, so it uses the last table. */
function mixEightBytes(table: Int32Array, a: number, b: number): number {
  const at = (level: number, value: number) => table[(level << 8) | (value & 0xff)] as number;
  const front = at(7, a) ^ at(6, a >>> 8) ^ at(5, a >>> 16) ^ at(4, a >>> 24);
  return front ^ at(3, b) ^ at(2, b >>> 8) ^ at(1, b >>> 16) ^ at(0, b >>> 24);
}

function makeTable(): Int32Array {
  const table = new Int32Array(8 * 256);
  for (let index = 0; index < 256; index += 1) {
    let crc = index;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ CRC32C_POLYNOMIAL : crc >>> 1;
    table[index] = crc;
  }
  for (let index = 256; index < table.length; index += 1) {
    const before = table[index - 256] as number;
    table[index] = (table[before & 0xff] as number) ^ (before >>> 8);
  }
  return table;
}

/** CRC-64/NVME, reflected, in 32-bit halves, because BigInt would be a hundred times slower; eight tables process eight bytes per step. */
const CRC64_POLYNOMIAL = 0x9a6c9329ac4bc9b5n;
const { low: CRC64_LOW, high: CRC64_HIGH } = makeTables();

/** Updates a checksum with more data; the initial value is 0n. */
export function crc64nvme(data: Uint8Array, before = 0n): bigint {
  let low = ~Number(before & 0xffffffffn);
  let high = ~Number(before >> 32n);
  let index = 0;
  for (const end = data.length - 7; index < end; index += 8) {
    const a = low ^ word(data, index);
    const b = high ^ word(data, index + 4);
    low = mixEightBytes(CRC64_LOW, a, b);
    high = mixEightBytes(CRC64_HIGH, a, b);
  }
  for (; index < data.length; index += 1) {
    const entry = (low ^ (data[index] as number)) & 0xff;
    low = ((low >>> 8) | (high << 24)) ^ (CRC64_LOW[entry] as number);
    high = (high >>> 8) ^ (CRC64_HIGH[entry] as number);
  }
  return (BigInt(~high >>> 0) << 32n) | BigInt(~low >>> 0);
}

function makeTables(): { low: Int32Array; high: Int32Array } {
  const low = new Int32Array(8 * 256);
  const high = new Int32Array(8 * 256);
  const first = Array.from({ length: 256 }, (_, index) => shiftByte(BigInt(index)));
  let level = first;
  for (let number = 0; number < 8; number += 1) {
    for (const [index, crc] of level.entries()) {
      low[(number << 8) | index] = Number(BigInt.asIntN(32, crc));
      high[(number << 8) | index] = Number(BigInt.asIntN(32, crc >> 32n));
    }
    level = level.map((crc) => (first[Number(crc & 0xffn)] as bigint) ^ (crc >> 8n));
  }
  return { low, high };
}

function shiftByte(value: bigint): bigint {
  let crc = value;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1n ? (crc >> 1n) ^ CRC64_POLYNOMIAL : crc >> 1n;
  return crc;
}

/** The polynomials, reflected: the lowest bit is the highest power. */
const POLYNOMIALS: Readonly<Record<string, { polynomial: bigint; bytes: number } | undefined>> = {
  CRC32: { polynomial: 0xedb88320n, bytes: 4 },
  CRC32C: { polynomial: 0x82f63b78n, bytes: 4 },
  CRC64NVME: { polynomial: 0x9a6c9329ac4bc9b5n, bytes: 8 },
};

/** The checksum and the size in bytes of one piece of data. */
export interface Piece {
  readonly checksum: Buffer;
  readonly size: number;
}

/**
 * Combines the CRCs of consecutive pieces into the CRC of the whole: a CRC is a polynomial remainder, so appending data multiplies it by x to
 * the power of the number of appended bits. `algorithm` is CRC32, CRC32C or CRC64NVME.
 */
export function combineChecksums(algorithm: string, pieces: readonly Piece[]): Buffer {
  const field = POLYNOMIALS[algorithm];
  if (field === undefined) throw new Error(`${algorithm} cannot be combined.`);
  const math = new Remainders(field.polynomial, BigInt(field.bytes * 8));
  const combined = pieces.reduce((crc, { checksum, size }) => math.multiply(crc, math.shift(size)) ^ toBigInt(checksum), 0n);
  return Buffer.from(combined.toString(16).padStart(field.bytes * 2, '0'), 'hex');
}

const toBigInt = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex') || '0'}`);

/** Arithmetic of polynomials over GF(2) modulo the polynomial of a CRC, in reflected order. */
class Remainders {
  private readonly shifts = new Map<number, bigint>();

  constructor(
    private readonly polynomial: bigint,
    private readonly width: bigint,
  ) {}

  multiply(a: bigint, b: bigint): bigint {
    let product = 0n;
    let factor = b;
    for (let bit = 1n << (this.width - 1n); bit > 0n; bit >>= 1n) {
      if (a & bit) product ^= factor;
      factor = factor & 1n ? (factor >> 1n) ^ this.polynomial : factor >> 1n;
    }
    return product;
  }

  /** x to the power of the number of bits in `bytes`; cached, because most parts have the same size. */
  shift(bytes: number): bigint {
    const known = this.shifts.get(bytes);
    if (known !== undefined) return known;
    let power = 1n << (this.width - 1n); // x to the power of 0
    let square = 1n << (this.width - 9n); // x to the power of 8, one byte
    for (let left = BigInt(bytes); left > 0n; left >>= 1n) {
      if (left & 1n) power = this.multiply(power, square);
      square = this.multiply(square, square);
    }
    this.shifts.set(bytes, power);
    return power;
  }
}
