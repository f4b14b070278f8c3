// Reads the animations that libvips does not: animated PNG, whose pictures are put together here, and sequences of AVIF, which ffmpeg has decoded.
const { closeSync, fstatSync, openSync, readFileSync, readSync } = require('node:fs');
const { crc32 } = require('node:zlib');

const SIGNATURE_BYTES = 8;
/** The chunks that a decoder needs for the pixels of a picture. */
const PIXEL_CHUNKS = ['PLTE', 'tRNS'];
const [DISPOSE_TO_CLEAR, DISPOSE_TO_PREVIOUS] = [1, 2];
const BLEND_OVER = 1;
const CHANNELS = 4;
/** Of 16 bits each. */
const SEQUENCE_PIXEL_BYTES = 8;
/** Real files have fewer boxes beside each other. */
const MAX_BOXES = 1_000;

/**
 * An animation: `delays` are the milliseconds of its pictures, `loop` how often it plays (0: for ever), `frames` yields the pixels of each picture with
 * transparency, `profile` is the chunk with its ICC profile, or null. Null: the file has only one picture.
 */
function readAnimation({ input, type, frames }, { sharp, size }) {
  if (type === 'heif') return readSequence(input, frames, size);
  const chunks = [...chunksOf(readFileSync(input))];
  const control = chunks.find(({ type }) => type === 'acTL');
  const pictures = picturesOf(chunks);
  if (!control || pictures.length < 2) return null;
  return {
    delays: pictures.map(({ delay }) => delay),
    loop: control.content.readUInt32BE(4),
    frames: compose(pictures, { sharp, size, chunks }),
    profile: chunks.find(({ type }) => type === 'iCCP') ?? null,
  };
}

/** The whole chunks of a PNG. */
function* chunksOf(bytes) {
  for (let at = SIGNATURE_BYTES; at + 12 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length) return;
    yield { type: bytes.toString('latin1', at + 4, at + 8), content: bytes.subarray(at + 8, end) };
    at = end + 4;
  }
}

/** The pictures with their places (PNG, third edition, section 11.3.6.2). A picture before the first control chunk is for programs without animation. */
function picturesOf(chunks) {
  const pictures = [];
  for (const { type, content } of chunks) {
    if (type === 'fcTL') pictures.push({ ...placeOf(content), data: [] });
    if (type === 'IDAT') pictures.at(-1)?.data.push(content);
    if (type === 'fdAT') pictures.at(-1)?.data.push(content.subarray(4));
  }
  return pictures.filter(({ data }) => data.length > 0);
}

function placeOf(control) {
  const [width, height, left, top] = [4, 8, 12, 16].map((at) => control.readUInt32BE(at));
  const delay = (1_000 * control.readUInt16BE(20)) / (control.readUInt16BE(22) || 100);
  return { width, height, left, top, delay: Math.round(delay), dispose: control[24], blend: control[25] };
}

/** Draws each picture on what the earlier ones left (PNG, third edition, section 11.3.6.2). */
async function* compose(pictures, { sharp, size, chunks }) {
  const canvas = Buffer.alloc(CHANNELS * size.width * size.height);
  for (const [index, picture] of pictures.entries()) {
    const { left, top, width, height, dispose } = picture;
    if (left + width > size.width || top + height > size.height) throw new Error('A picture of the animation is outside of it.');
    const before = dispose === DISPOSE_TO_PREVIOUS && index > 0 ? Buffer.from(canvas) : null;
    const pixels = await sharp(asPng(picture, chunks)).toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' }).toBuffer();
    const rows = { ...picture, canvasWidth: size.width };
    draw(canvas, pixels, rows);
    yield canvas;
    if (before) before.copy(canvas);
    else if (dispose === DISPOSE_TO_CLEAR || dispose === DISPOSE_TO_PREVIOUS)
      draw(canvas, Buffer.alloc(pixels.length), { ...rows, blend: 0 });
  }
}

function draw(canvas, pixels, { left, top, width, height, blend, canvasWidth }) {
  for (let y = 0; y < height; y += 1) {
    const [from, to] = [CHANNELS * y * width, CHANNELS * ((top + y) * canvasWidth + left)];
    if (blend === BLEND_OVER) for (let x = 0; x < CHANNELS * width; x += CHANNELS) blendPixel(canvas, to + x, pixels, from + x);
    else pixels.copy(canvas, to, from, from + CHANNELS * width);
  }
}

function blendPixel(canvas, to, pixels, from) {
  const over = pixels[from + 3];
  if (over === 0) return;
  const under = over === 255 ? 0 : (canvas[to + 3] * (255 - over)) / 255;
  for (let channel = 0; channel < 3; channel += 1)
    canvas[to + channel] = Math.round((pixels[from + channel] * over + canvas[to + channel] * under) / (over + under));
  canvas[to + 3] = Math.round(over + under);
}

/** One picture of an animation as a PNG. */
function asPng({ width, height, data }, chunks) {
  const [header] = chunks;
  if (header?.type !== 'IHDR') throw new Error('The PNG has no header.');
  const own = Buffer.from(header.content);
  own.writeUInt32BE(width, 0);
  own.writeUInt32BE(height, 4);
  const shared = chunks.filter(({ type }) => PIXEL_CHUNKS.includes(type));
  return pngOf([
    { type: 'IHDR', content: own },
    ...shared,
    { type: 'IDAT', content: Buffer.concat(data) },
    { type: 'IEND', content: Buffer.alloc(0) },
  ]);
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

const pngOf = (chunks) => Buffer.concat([SIGNATURE, ...chunks.map(encodeChunk)]);

function encodeChunk({ type, content }) {
  const [length, end] = [Buffer.alloc(4), Buffer.alloc(4)];
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  length.writeUInt32BE(content.length);
  end.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, end]);
}

/** A PNG with a further chunk behind its header. */
function withChunk(png, chunk) {
  const [header, ...others] = chunksOf(png);
  return pngOf([header, chunk, ...others]);
}

/** Where a pixel of an upright picture is in the stored one, by the orientation (Exif 2.32, section 4.6.4): how far from the left and from above. */
const STORED_AT = {
  2: (x, y, right) => [right - x, y],
  3: (x, y, right, bottom) => [right - x, bottom - y],
  4: (x, y, _right, bottom) => [x, bottom - y],
  5: (x, y) => [y, x],
  6: (x, y, _right, bottom) => [y, bottom - x],
  7: (x, y, right, bottom) => [right - y, bottom - x],
  8: (x, y, right) => [right - y, x],
};

/** An animation whose pictures are turned as its orientation says; `size`: that of the stored pictures. */
function upright(animation, size, orientation = 1) {
  const storedAt = STORED_AT[orientation];
  return storedAt ? { ...animation, frames: turn(animation.frames, size, { storedAt, swaps: orientation > 4 }) } : animation;
}

async function* turn(frames, { width, height }, { storedAt, swaps }) {
  const [wide, high] = swaps ? [height, width] : [width, height];
  for await (const pixels of frames) {
    const turned = pixels.BYTES_PER_ELEMENT === 2 ? new Uint16Array(pixels.length) : Buffer.alloc(pixels.length);
    for (let y = 0, to = 0; y < high; y += 1) {
      for (let x = 0; x < wide; x += 1, to += CHANNELS) {
        const [left, top] = storedAt(x, y, width - 1, height - 1);
        const from = CHANNELS * (top * width + left);
        for (let channel = 0; channel < CHANNELS; channel += 1) turned[to + channel] = pixels[from + channel];
      }
    }
    yield turned;
  }
}

/** A sequence of images (ISO/IEC 23008-12 section 7), of which `frames` is the file with the decoded pictures. */
function readSequence(input, frames, { width, height }) {
  const { delays, loop } = timesOf(readFileSync(input));
  const bytes = SEQUENCE_PIXEL_BYTES * width * height;
  const opened = openSync(frames, 'r');
  const count = Math.min(delays.length, Math.floor(fstatSync(opened).size / bytes));
  return { delays: delays.slice(0, count), loop, frames: readFrames(opened, { count, bytes }), profile: null };
}

async function* readFrames(opened, { count, bytes }) {
  try {
    for (let index = 0; index < count; index += 1) {
      const pixels = new Uint16Array(bytes / 2);
      readSync(opened, new Uint8Array(pixels.buffer), 0, bytes, index * bytes);
      yield pixels;
    }
  } finally {
    closeSync(opened);
  }
}

/** The milliseconds of each picture of the first track of pictures, and how often it plays (ISO/IEC 14496-12 sections 8.6.1.2 and 8.6.6). */
function timesOf(bytes) {
  const find = (within, ...path) => path.reduce((content, type) => content && boxOf(content, type), within);
  const movie = find(bytes, 'moov');
  const track = movie && tracksOf(movie).find((one) => find(one, 'mdia', 'hdlr')?.toString('latin1', 8, 12) === 'pict');
  const [header, times] = [track && find(track, 'mdia', 'mdhd'), track && find(track, 'mdia', 'minf', 'stbl', 'stts')];
  if (!header || !times) return { delays: [], loop: 0 };
  const scale = header.readUInt32BE(header[0] === 1 ? 20 : 12);
  const delays = [];
  for (let entry = 0; entry < times.readUInt32BE(4); entry += 1) {
    const [count, delay] = [times.readUInt32BE(8 + 8 * entry), times.readUInt32BE(12 + 8 * entry)];
    delays.push(...Array.from({ length: Math.min(count, times.length * 1_000) }, () => Math.round((1_000 * delay) / (scale || 1))));
  }
  return { delays, loop: playsOf(find(track, 'edts', 'elst'), find(track, 'tkhd')) };
}

/** How often a track plays: its length divided by that of its repeated edit (AV1 Image File Format, section 7); 0: for ever, as without an edit. */
function playsOf(edits, header) {
  if (!edits || !header) return 0;
  if ((edits[3] & 1) === 0) return 1;
  const read = (bytes, isLong, at) => (isLong ? Number(bytes.readBigUInt64BE(at)) : bytes.readUInt32BE(at));
  const isLong = header[0] === 1;
  const [length, one] = [read(header, isLong, isLong ? 28 : 20), read(edits, edits[0] === 1, 8)];
  const isEndless = length >= (isLong ? Number.MAX_SAFE_INTEGER : 0xffff_ffff);
  return isEndless || one === 0 ? 0 : Math.max(1, Math.round(length / one));
}

function* boxesOf(bytes) {
  for (let at = 0, boxes = 0; at + 8 <= bytes.length && boxes < MAX_BOXES; boxes += 1) {
    const short = bytes.readUInt32BE(at);
    const size = short === 1 && at + 16 <= bytes.length ? Number(bytes.readBigUInt64BE(at + 8)) : short || bytes.length - at;
    if (size < 8) return;
    yield { type: bytes.toString('latin1', at + 4, at + 8), content: bytes.subarray(at + (short === 1 ? 16 : 8), at + size) };
    at += size;
  }
}

const boxOf = (bytes, type) => [...boxesOf(bytes)].find((box) => box.type === type)?.content;
const tracksOf = (movie) => [...boxesOf(movie)].flatMap(({ type, content }) => (type === 'trak' ? [content] : []));

module.exports = { readAnimation, upright, withChunk };
