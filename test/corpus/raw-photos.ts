/** A directory of a TIFF: numbers by their tags, the pixels or the JPEG that it describes, and directories below it. */
interface Directory {
  readonly tags: Readonly<Record<number, number>>;
  readonly content: Buffer;
  readonly isJpeg?: boolean;
  readonly below?: readonly Directory[];
}

const SUB_DIRECTORIES = 330;
const LONG = 4;

/** Writes a TIFF of numbers of four bytes each, whose first directory is the first one. */
function encodeTiff(pages: readonly Directory[]): Buffer {
  const parts: Buffer[] = [Buffer.from('49492a0000000000', 'hex')];
  let size = 8;
  const add = (bytes: Buffer): number => {
    parts.push(bytes);
    size += bytes.length;
    return size - bytes.length;
  };
  const write = ({ tags, content, isJpeg = false, below = [] }: Directory, next: number): number => {
    const at = add(Buffer.concat([content, Buffer.alloc(content.length % 2)]));
    const places = below.map((one) => write(one, 0));
    const place = isJpeg ? { 513: at, 514: content.length } : { 273: at, 279: content.length };
    const list = Object.entries({ ...tags, ...place, ...(places.length === 1 && { [SUB_DIRECTORIES]: places[0] }) });
    const bytes = Buffer.alloc(2 + 12 * list.length + 4);
    bytes.writeUInt16LE(list.length);
    for (const [index, [tag, value = 0]] of list.sort(([one], [other]) => Number(one) - Number(other)).entries()) {
      bytes.writeUInt16LE(Number(tag), 2 + 12 * index);
      bytes.writeUInt16LE(LONG, 4 + 12 * index);
      bytes.writeUInt32LE(1, 6 + 12 * index);
      bytes.writeUInt32LE(value, 10 + 12 * index);
    }
    bytes.writeUInt32LE(next, bytes.length - 4);
    return add(bytes);
  };
  const first = pages.reduceRight((next, page) => write(page, next), 0);
  parts[0]?.writeUInt32LE(first, 4);
  return Buffer.concat(parts);
}

const [REDUCED, FULL] = [1, 0];
const [GREY, SENSOR] = [1, 32_803];
const [NONE, NEW_JPEG] = [1, 7];
const pixels = (width: number, height: number, photometric: number, subfile: number): Directory => ({
  tags: { 254: subfile, 256: width, 257: height, 258: 8, 259: NONE, 262: photometric, 277: 1, 278: height },
  content: Buffer.alloc(width * height, 77),
});
const jpeg = (content: Buffer): Directory => ({ tags: { 254: REDUCED, 259: 6 }, content, isJpeg: true });

/** A raw photo as Adobe and Nikon store it: a small preview in front, the values of the sensor and a JPEG below it. */
export const rawPhoto =
  (orientation = 1) =>
  (photo: Buffer): Buffer => {
    const preview = pixels(80, 48, GREY, REDUCED);
    return encodeTiff([{ ...preview, tags: { ...preview.tags, 274: orientation }, below: [{ ...jpeg(photo), below: [sensor()] }] }]);
  };
const sensor = () => pixels(128, 96, SENSOR, FULL);

/** A raw photo whose JPEG is that of its first directory, as Sony stores it, in a strip. */
export const rawPhotoInStrip = (photo: Buffer): Buffer =>
  encodeTiff([{ tags: { 254: REDUCED, 256: 64, 257: 48, 259: NEW_JPEG, 262: 6 }, content: photo, below: [sensor()] }]);

/** A raw photo without a JPEG. */
export const bareRawPhoto = (): Buffer => encodeTiff([sensor(), pixels(80, 48, GREY, REDUCED)]);
/** A raw photo of Fujifilm, whose header says where its JPEG is. */
export const fujifilmPhoto = (photo: Buffer): Buffer => {
  const header = Buffer.alloc(128);
  header.write('FUJIFILMCCD-RAW 0201');
  header.writeUInt32BE(header.length, 84);
  header.writeUInt32BE(photo.length, 88);
  return Buffer.concat([header, photo, Buffer.alloc(4_096, 5)]);
};
