/** CRC-64/NVME, reflected, in halves of 32 bits, because BigInt would take a hundred times as long; eight tables for eight bytes at once. */
const POLYNOMIAL = 0x9a6c9329ac4bc9b5n;
const { low: LOW, high: HIGH } = makeTables();

/** Continues a checksum, 0n at the start. */
export function crc64nvme(data: Uint8Array, before = 0n): bigint {
  let low = ~Number(before & 0xffffffffn);
  let high = ~Number(before >> 32n);
  let index = 0;
  for (const end = data.length - 7; index < end; index += 8) {
    const a = low ^ word(data, index);
    const b = high ^ word(data, index + 4);
    low = look(LOW, a, b);
    high = look(HIGH, a, b);
  }
  for (; index < data.length; index += 1) {
    const entry = (low ^ (data[index] as number)) & 0xff;
    low = ((low >>> 8) | (high << 24)) ^ (LOW[entry] as number);
    high = (high >>> 8) ^ (HIGH[entry] as number);
  }
  return (BigInt(~high >>> 0) << 32n) | BigInt(~low >>> 0);
}

/** Four bytes, the lowest first. */
function word(data: Uint8Array, index: number): number {
  const byte = (offset: number) => data[index + offset] as number;
  return byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24);
}

/** What eight bytes contribute to one half; the first byte has the farthest way, so it is in the last table. */
function look(table: Int32Array, a: number, b: number): number {
  const at = (level: number, value: number) => table[(level << 8) | (value & 0xff)] as number;
  const front = at(7, a) ^ at(6, a >>> 8) ^ at(5, a >>> 16) ^ at(4, a >>> 24);
  return front ^ at(3, b) ^ at(2, b >>> 8) ^ at(1, b >>> 16) ^ at(0, b >>> 24);
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
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1n ? (crc >> 1n) ^ POLYNOMIAL : crc >> 1n;
  return crc;
}
