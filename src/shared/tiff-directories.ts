/** Reads `length` bytes of a file from a position; null if the file ends before that. */
export type ReadBytes = (position: number, length: number) => Promise<Buffer | null>;

/** A file that is read in pieces. */
export interface PictureFile {
  /** Bytes. */
  readonly size: number;
  readonly read: ReadBytes;
}

/** The numbers of a tag; of a long list only the first few. */
export interface TiffValue {
  readonly count: number;
  /** Where they are in the file, unless they are in the directory itself. */
  readonly position: number;
  readonly numbers: readonly number[];
}

/** A directory of a TIFF structure: it describes one picture. */
export interface TiffDirectory {
  /** Where it begins, counted from the beginning of the structure. */
  readonly offset: number;
  readonly tags: ReadonlyMap<number, TiffValue>;
}

/** How a TIFF structure stores numbers and places (TIFF 6.0 section 2, BigTIFF). */
interface Layout {
  readonly isLittle: boolean;
  /** BigTIFF: places have 8 bytes instead of 4. */
  readonly isBig: boolean;
}

const SUB_DIRECTORIES = 330;
/** A real image has a few dozen entries in a directory; more are not read. */
const MAX_ENTRIES = 1_000;
/** A raw photo has about five directories; a document in TIFF may have more pages, of which only the first few matter. */
const MAX_DIRECTORIES = 32;
/** Only lists of directories and of bits are read, which are short. */
const MAX_NUMBERS = 16;
/** Bytes of a number by its type: BYTE, SHORT, LONG, UNDEFINED, IFD, LONG8, IFD8. */
const TYPE_BYTES: ReadonlyMap<number, number> = new Map([
  [1, 1],
  [3, 2],
  [4, 4],
  [7, 1],
  [13, 4],
  [16, 8],
  [18, 8],
]);

/** Reads the first directory of a TIFF structure that begins at `start`; null: there is none. */
export async function readFirstDirectory(file: PictureFile, start: number): Promise<TiffDirectory | null> {
  const head = await readTiffHead(file, start);
  return head && (await readDirectory(file, { ...head, start })).directory;
}

/** Reads all directories of a TIFF file: the pages, and below them those of previews and raw photos; the first page comes first. */
export async function readDirectories(file: PictureFile): Promise<readonly TiffDirectory[]> {
  const head = await readTiffHead(file, 0);
  const found: TiffDirectory[] = [];
  const waiting = head ? [head.first] : [];
  const seen = new Set<number>();
  while (head && waiting.length > 0 && found.length < MAX_DIRECTORIES) {
    const first = waiting.shift() ?? 0;
    if (first === 0 || seen.has(first)) continue;
    seen.add(first);
    const { directory, next } = await readDirectory(file, { ...head, start: 0, first });
    if (!directory) continue;
    found.push(directory);
    waiting.push(...(directory.tags.get(SUB_DIRECTORIES)?.numbers ?? []), next);
  }
  return found;
}

/** The signatures of TIFF files: of TIFF, BigTIFF, and of raw photos of Olympus and Panasonic, which are built alike. */
const VERSIONS = new Set(['*\0', '\0*', 'RO', 'RS', 'OR', 'U\0']);
const BIG_VERSIONS = new Set(['+\0', '\0+']);

interface TiffHead extends Layout {
  /** Where the first directory begins. */
  readonly first: number;
}

async function readTiffHead({ read, size }: PictureFile, start: number): Promise<TiffHead | null> {
  const head = await read(start, Math.min(16, size - start));
  const order = head?.toString('latin1', 0, 2);
  const version = head?.toString('latin1', 2, 4) ?? '';
  const layout = { isLittle: order === 'II', isBig: BIG_VERSIONS.has(version) };
  if (!head || head.length < (layout.isBig ? 16 : 8) || (order !== 'II' && order !== 'MM')) return null;
  if (!layout.isBig && !VERSIONS.has(version)) return null;
  return { ...layout, first: layout.isBig ? number(head, 8, 8, layout) : number(head, 4, 4, layout) };
}

type Place = TiffHead & { readonly start: number };

/** `next`: where the directory of the next page begins; 0: it is the last one. */
async function readDirectory({ read, size }: PictureFile, place: Place): Promise<{ directory: TiffDirectory | null; next: number }> {
  const { start, first, isBig } = place;
  const [countBytes, entryBytes, placeBytes] = isBig ? [8, 20, 8] : [2, 12, 4];
  const counted = await read(start + first, countBytes);
  const entryCount = counted ? number(counted, 0, countBytes, place) : 0;
  if (entryCount === 0 || entryCount > MAX_ENTRIES) return { directory: null, next: 0 };
  const entries = await read(start + first + countBytes, entryCount * entryBytes);
  if (!entries) return { directory: null, next: 0 };
  const tags = new Map<number, TiffValue>();
  for (let at = 0; at < entries.length; at += entryBytes) {
    const entry = entries.subarray(at, at + entryBytes);
    tags.set(number(entry, 0, 2, place), await readValue({ size, read }, entry, place));
  }
  const next = await read(start + first + countBytes + entries.length, placeBytes);
  return { directory: { offset: first, tags }, next: next ? number(next, 0, placeBytes, place) : 0 };
}

async function readValue({ read }: PictureFile, entry: Buffer, place: Place): Promise<TiffValue> {
  const [width, placeBytes] = [TYPE_BYTES.get(number(entry, 2, 2, place)), place.isBig ? 8 : 4];
  const count = number(entry, 4, placeBytes, place);
  const own = entry.subarray(4 + placeBytes);
  const position = place.start + number(own, 0, placeBytes, place);
  if (width === undefined || count === 0) return { count, position, numbers: [] };
  const used = Math.min(count, MAX_NUMBERS);
  const bytes = width * count <= placeBytes ? own : await read(position, width * used);
  return { count, position, numbers: bytes ? Array.from({ length: used }, (_, index) => number(bytes, index * width, width, place)) : [] };
}

function number(bytes: Buffer, at: number, width: number, { isLittle }: Layout): number {
  if (width === 8) return Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
  return isLittle ? bytes.readUIntLE(at, width) : bytes.readUIntBE(at, width);
}
