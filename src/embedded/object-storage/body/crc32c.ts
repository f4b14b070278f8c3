/** CRC-32C (Castagnoli, RFC 3720), reflected; eight tables in a row, so that eight bytes are taken at once. */
const POLYNOMIAL = 0x82f63b78;
const TABLE = makeTable();

/** Continues a checksum, 0 at the start. */
export function crc32c(data: Uint8Array, before = 0): number {
  let crc = ~before;
  let index = 0;
  for (const end = data.length - 7; index < end; index += 8) crc = look(crc ^ word(data, index), word(data, index + 4));
  for (; index < data.length; index += 1) crc = (TABLE[(crc ^ (data[index] as number)) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Four bytes, the lowest first. */
function word(data: Uint8Array, index: number): number {
  const byte = (offset: number) => data[index + offset] as number;
  return byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24);
}

/** What eight bytes contribute; the first byte has the farthest way, so it is in the last table. */
function look(a: number, b: number): number {
  const at = (level: number, value: number) => TABLE[(level << 8) | (value & 0xff)] as number;
  const front = at(7, a) ^ at(6, a >>> 8) ^ at(5, a >>> 16) ^ at(4, a >>> 24);
  return front ^ at(3, b) ^ at(2, b >>> 8) ^ at(1, b >>> 16) ^ at(0, b >>> 24);
}

function makeTable(): Int32Array {
  const table = new Int32Array(8 * 256);
  for (let index = 0; index < 256; index += 1) {
    let crc = index;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    table[index] = crc;
  }
  for (let index = 256; index < table.length; index += 1) {
    const before = table[index - 256] as number;
    table[index] = (table[before & 0xff] as number) ^ (before >>> 8);
  }
  return table;
}
