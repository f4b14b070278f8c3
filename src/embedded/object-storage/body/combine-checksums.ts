import type { Algorithm } from './checksum.js';

/** The polynomials, reflected: the bit of the highest power is the lowest one. */
const POLYNOMIALS: Partial<Record<Algorithm, { polynomial: bigint; bytes: number }>> = {
  CRC32: { polynomial: 0xedb88320n, bytes: 4 },
  CRC32C: { polynomial: 0x82f63b78n, bytes: 4 },
  CRC64NVME: { polynomial: 0x9a6c9329ac4bc9b5n, bytes: 8 },
};

/** Data of which only the checksum and the size are known. */
export interface Piece {
  readonly checksum: Buffer;
  readonly size: number;
}

/**
 * The CRC of data one after the other, from the CRCs of the pieces: a CRC is a remainder of polynomials, so what follows multiplies it by
 * x to the power of the bits that follow.
 */
export function combineChecksums(algorithm: Algorithm, pieces: readonly Piece[]): Buffer {
  const field = POLYNOMIALS[algorithm];
  if (field === undefined) throw new Error(`${algorithm} cannot be combined.`);
  const math = new Remainders(field.polynomial, BigInt(field.bytes * 8));
  const combined = pieces.reduce((crc, { checksum, size }) => math.multiply(crc, math.shift(size)) ^ toBigInt(checksum), 0n);
  return Buffer.from(combined.toString(16).padStart(field.bytes * 2, '0'), 'hex');
}

const toBigInt = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex') || '0'}`);

/** Polynomials over bits modulo the one of a CRC, in reflected order. */
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

  /** x to the power of the bits of `bytes`; most parts have one size, so it is remembered. */
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
