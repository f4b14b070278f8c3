/** The signatures of image types: hexadecimal bytes at an offset. */
const SIGNATURES: readonly (readonly [extension: string, offset: number, bytes: string])[] = [
  ['jpg', 0, 'ffd8ff'],
  ['png', 0, '89504e470d0a1a0a'],
  ['gif', 0, '47494638'],
  ['webp', 8, '57454250'],
  ['tif', 0, '49492a00'],
  ['tif', 0, '4d4d002a'],
  ['tif', 0, '49492b00'],
  ['tif', 0, '4d4d002b'],
  ['bmp', 0, '424d'],
  ['psd', 0, '38425053'],
  ['jp2', 0, '0000000c6a5020200d0a870a'],
  ['j2k', 0, 'ff4fff51'],
];
/** The brands of images in HEIF files (ISO/IEC 23008-12 annex B, AV1 Image File Format section 6); others are films. */
const BRANDS: ReadonlyMap<string, string> = new Map([
  ...['avif', 'avis'].map((brand) => [brand, 'avif'] as const),
  ...['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx'].map((brand) => [brand, 'heic'] as const),
]);
/** Brands that do not name the codec; the brands behind them do. */
const GENERAL_BRANDS = new Set(['mif1', 'msf1']);

const SIGNATURE_BYTES = 12;
/** Real files name fewer compatible brands. */
const MAX_BRANDS = 32;

/** The extension of an image by its first bytes, regardless of its name; null if it is not a supported image. */
export function detectImageType(head: Uint8Array): string | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (bytes.toString('latin1', 4, 8) === 'ftyp') return detectHeif(bytes);
  const hex = bytes.toString('hex', 0, SIGNATURE_BYTES);
  return SIGNATURES.find(([, offset, signature]) => hex.startsWith(signature, offset * 2))?.[0] ?? null;
}

/** Reads the brands at the beginning of a file of boxes (ISO/IEC 14496-12 section 4.3). */
function detectHeif(bytes: Buffer): string | null {
  const major = bytes.toString('latin1', 8, 12);
  if (!GENERAL_BRANDS.has(major)) return BRANDS.get(major) ?? null;
  const end = Math.min(bytes.length, bytes.readUInt32BE(0), 16 + 4 * MAX_BRANDS);
  for (let at = 16; at + 4 <= end; at += 4) {
    const type = BRANDS.get(bytes.toString('latin1', at, at + 4));
    if (type !== undefined) return type;
  }
  return 'heic';
}
