/** What files of a type begin with: bytes at an offset. */
const SIGNATURES: readonly (readonly [extension: string, offset: number, bytes: string])[] = [
  ['jpg', 0, 'ffd8ff'],
  ['png', 0, '89504e470d0a1a0a'],
  ['gif', 0, '47494638'],
  ['webp', 8, '57454250'],
  ['tif', 0, '49492a00'],
  ['tif', 0, '4d4d002a'],
  ['bmp', 0, '424d'],
  ['psd', 0, '38425053'],
  ['jp2', 0, '0000000c6a5020200d0a870a'],
  ['avif', 4, '6674797061766966'],
  ['heic', 4, '6674797068656963'],
  ['heic', 4, '6674797068656978'],
  ['heic', 4, '667479706d696631'],
];

const LONGEST = 12;

/** The extension that an image's first bytes (12 suffice) deserve, whatever it is called; null: none that is taken. */
export function detectImageType(head: Uint8Array): string | null {
  const hex = Buffer.from(head.subarray(0, LONGEST)).toString('hex');
  return SIGNATURES.find(([, offset, bytes]) => hex.startsWith(bytes, offset * 2))?.[0] ?? null;
}
