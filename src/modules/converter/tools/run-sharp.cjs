// Makes, measures or examines one image with sharp. Runs as a program of its own, in the sandbox of programs (sharp-program.ts):
//   node run-sharp.cjs SHARP --version
//   node run-sharp.cjs SHARP measure JOB
//   node run-sharp.cjs SHARP examine JOB
//   node run-sharp.cjs SHARP make JOB
// SHARP is the file of the package, JOB is JSON (formats/converters/sharp-job.ts). What it cannot do ends with code 1 and one line.
const { existsSync } = require('node:fs');
const { readAnimation, upright, withChunk } = require('./animation-frames.cjs');
const { copyrightAsXmp, copyrightOf } = require('./copyright.cjs');
const { toStandardColors } = require('./standard-colors.cjs');
const { readStatedColors } = require('./stated-colors.cjs');
const [, , file, task, text] = process.argv;
const sharp = require(file);

/** The readers by type. All others stay blocked, whatever the content claims to be: some open further files. */
const LOADERS = {
  jpeg: 'VipsForeignLoadJpegFile',
  png: 'VipsForeignLoadPngFile',
  webp: 'VipsForeignLoadWebpFile',
  gif: 'VipsForeignLoadNsgifFile',
  tiff: 'VipsForeignLoadTiffFile',
  heif: 'VipsForeignLoadHeifFile',
};
/** Reads what this program itself wrote into memory. */
const OWN_LOADER = 'VipsForeignLoadPngBuffer';

/** The types whose pages are the pictures of an animation. Those of other types are pages or further images, of which the first or main one counts. */
const ANIMATED_TYPES = new Set(['gif', 'webp']);

/** Pixels of a side: a transparent corner of a few pixels remains visible. */
const EXAMINED_SIDE = 1024;
const OPAQUE = 255;

const million = (pixels) => Math.round(pixels / 1e6);

/** Bytes behind the end of a JPEG count as grey; other images must be complete. The number of pixels is checked by `requirePixels`. */
const open = ({ input, type }, options = {}) =>
  sharp(input, { limitInputPixels: false, failOn: type === 'jpeg' ? 'none' : 'truncated', ...options });

/** Throws if the image has more pixels than the limit of the job; the pictures of an animation count together. */
function requirePixels({ width, height }, { maxPixels }) {
  if (width * height <= maxPixels) return;
  throw new Error(`The image has ${million(width * height)} million pixels; the limit is ${million(maxPixels)} million.`);
}

/** Bytes that a decoder holds for an image that it cannot read line by line: coefficients of progressive JPEGs, all pixels of other types. */
function heldBytes({ format, width, height, channels, chromaSubsampling, depth, isProgressive }) {
  const sample = depth === 'ushort' ? 2 : 1;
  if (format === 'jpeg' && isProgressive) return width * height * (chromaSubsampling === '4:2:0' ? 3 : 2 * channels);
  if (format === 'png' && isProgressive) return width * height * channels * sample;
  if (format === 'webp') return width * height * 4;
  return format === 'heif' ? width * height * 5 * sample : 0;
}

/** Throws if the decoder would hold more memory than the job permits. */
function requireMemory(metadata, { maxHeldBytes }) {
  if (maxHeldBytes === undefined || heldBytes(metadata) <= maxHeldBytes) return;
  throw new Error('The image can only be decoded as a whole, and is too large for that.');
}

/** The size as viewers show it. */
const measure = async (job) => (await open(job).metadata()).autoOrient;

/** Whether an image is animated, and whether a part of it is transparent. A reduced copy tells, whose memory does not depend on the image. */
async function examine(job) {
  const input = await fileOf(job);
  const first = await open({ ...job, input }).metadata();
  requirePixels(first, job);
  requireMemory(first, job);
  const animated = ANIMATED_TYPES.has(job.type) && first.pages > 1;
  if (!first.hasAlpha) return { animated, transparent: false };
  const { data } = await open({ ...job, input })
    .resize({ width: EXAMINED_SIDE, height: EXAMINED_SIDE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .extractChannel('alpha')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { animated, transparent: data.some((alpha) => alpha < OPAQUE) };
}

async function make(job) {
  const shapeFor = (page) => {
    const region = job.crop && cropOf(job, page);
    const size = job.size && sizeOf(job.size, region ?? page);
    return { region, size: size && { ...size, fit: job.cover ? 'cover' : 'fill' } };
  };
  const { image, shown, metadata, timing } = await openUpright(job, shapeFor);
  if (job.background) image.flatten({ background: job.background });
  if (job.gray) image.greyscale();
  if (job.watermark) image.composite([await markOf(job.watermark, shown, metadata)]);
  applyColors(image, job, metadata);
  if (job.xmp) image.withXmp(job.xmp);
  const copyright = job.keepsCopyright ? copyrightOf(metadata) : null;
  if (copyright) image.withExif({ IFD0: { Copyright: copyright } });
  // libvips writes the texts of Exif in ASCII, with question marks for what that lacks.
  if (copyright && /[^ -~]/.test(copyright)) image.withXmp(copyrightAsXmp(copyright));
  await image.toFormat(job.format, { ...job.options, ...timing }).toFile(job.output);
}

/**
 * Converts the image to sRGB and adds that profile; an image of 16 bits keeps them if the job says so. Without a profile such an image is in sRGB
 * already, but sharp would convert it as one of Display P3: it is reduced to 8 bits before, or stays without a profile.
 */
function applyColors(image, { keepsProfile, deep }, { icc, space }) {
  const isUntagged = space === 'rgb16' && icc === undefined;
  const staysDeep = deep && (space === 'rgb16' || (space === 'grey16' && icc === undefined));
  if (staysDeep) image.toColourspace('rgb16');
  else if (isUntagged) image.pipelineColourspace('srgb');
  if (keepsProfile && icc !== undefined && ['srgb', 'rgb16'].includes(space)) image.keepIccProfile();
  else if (!(isUntagged && staysDeep)) image.withIccProfile('srgb');
}

/**
 * Opens an image upright, in the shape that `shapeFor` plans for the size of its picture, and in colours that libvips knows. All pictures of an animation
 * are read if the job wants them. `shown`: the size of the result.
 */
async function openUpright(job, shapeFor = () => ({})) {
  const source = { ...job, input: await fileOf(job) };
  const first = await open(source).metadata();
  requirePixels(first, job);
  requireMemory(first, job);
  const page = job.isUpright ? { width: first.width, height: first.height } : first.autoOrient;
  const { region, size } = shapeFor(page);
  const shape = (image) => {
    if (region) image.extract(region);
    return size ? image.resize(size) : image;
  };
  const stated = readStatedColors(job.mainOf ?? source.input, job.mainOf ? 'heif' : job.type);
  const colors = stated && (stated.overridesProfile || !first.icc) ? stated : null;
  const whole = { shown: size ?? region ?? page, metadata: first };
  // What is read of an AVIF is upright.
  const orientation = job.isUpright || job.type === 'heif' ? 1 : (first.orientation ?? 1);
  const stored = orientation === 1 ? page : { width: first.width, height: first.height };
  const animation = job.frames === undefined ? null : readAnimation(source, { sharp, size: stored });
  const frames = async (found) => await openFrames(upright(found, stored, orientation), { ...whole, page, colors, shape, job });
  if (animation) return await frames(animation);
  if (job.animated && ANIMATED_TYPES.has(job.type) && first.pages > 1) {
    requirePixels({ width: first.width, height: first.height * first.pages }, job);
    const image = open(source, { pages: -1 });
    if (orientation === 1) return { ...whole, image: shape(image), metadata: { ...first, isAnimated: true } };
    return await frames(await pagesOf(image, first));
  }
  const image = open(source, { ignoreIcc: colors !== null });
  if (!job.isUpright) image.autoOrient();
  if (colors) {
    const { pixels, raw } = await pixelsOf(shape(image), colors, { ...first, deep: job.deep });
    return { ...whole, image: sharp(pixels, { raw }), metadata: withoutProfile(first, job.deep) };
  }
  // sharp ignores the profiles of grey images of 16 bits, not those of 8 bits.
  if (first.space !== 'grey16' || !first.icc) return { ...whole, image: shape(image) };
  return { ...whole, image: shape(sharp(await image.toColourspace('b-w').keepIccProfile().png().toBuffer())) };
}

/** What applyColors needs to know about pixels that are in sRGB. */
const withoutProfile = (metadata, deep = false) => ({ ...metadata, icc: undefined, space: deep ? 'rgb16' : 'srgb' });

/** The pixels of an image with stated colours, in sRGB. */
async function pixelsOf(image, colors, { depth, deep = false }) {
  const isDeep = depth === 'ushort';
  const drawn = image.toColourspace(isDeep ? 'rgb16' : 'srgb').raw({ depth: isDeep ? 'ushort' : 'uchar' });
  const { data, info } = await drawn.toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const stored = isDeep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data;
  return { pixels: toStandardColors(stored, { channels, colors, deep }), raw: { width, height, channels } };
}

/** An animation that libvips reads, as readAnimation returns others; libvips turns no pictures that lie below each other. */
async function pagesOf(image, { pages, delay, loop }) {
  const pixels = await image.toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' }).toBuffer();
  const bytes = pixels.length / pages;
  const frames = Array.from({ length: pages }, (_, index) => pixels.subarray(index * bytes, (index + 1) * bytes));
  return { delays: delay, loop, frames, profile: null };
}

/** The pictures of an animation that libvips does not read, one below the other, each in its shape and in sRGB. */
async function openFrames({ delays, loop, frames, profile }, { shown, metadata, page, colors, shape, job }) {
  requirePixels({ width: page.width, height: page.height * delays.length }, job);
  const pictures = [];
  for await (const pixels of frames) {
    const drawn = sharp(pixels, { raw: { ...page, channels: 4 } });
    const image = profile && !colors ? sharp(withChunk(await drawn.png({ compressionLevel: 0 }).toBuffer(), profile)) : drawn;
    const made = colors ? await pixelsOf(shape(image), colors, { depth: depthOf(pixels) }) : null;
    pictures.push(made ? Buffer.from(made.pixels) : await shape(image).toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer());
  }
  const { width, height } = shown;
  const raw = { width, height: height * pictures.length, channels: 4, pageHeight: height };
  return {
    image: sharp(Buffer.concat(pictures), { raw }),
    shown,
    metadata: { ...withoutProfile(metadata), isAnimated: true },
    timing: { delay: delays.slice(0, pictures.length), loop },
  };
}

const depthOf = (pixels) => (pixels.BYTES_PER_ELEMENT === 2 ? 'ushort' : 'uchar');

/** The file of the image; of an HEIC file with several images, which heif-convert numbers, that of the main one. */
async function fileOf({ input, mainOf }) {
  if (!mainOf || existsSync(input)) return input;
  const { pagePrimary = 0 } = await sharp(mainOf).metadata();
  return input.replace(/\.png$/, `-${pagePrimary + 1}.png`);
}

/** The part of the image that ImageMagick's -crop keeps: at the gravity, moved by the offset, and only what is in the image. */
function cropOf({ crop, gravity }, { width, height }) {
  const [, wide, high, x = '0', y = '0'] = /^(\d+)x(\d+)(?:([+-]\d+)([+-]\d+))?$/.exec(crop);
  const { left, top } = placeOf(gravity, { width: width - Number(wide), height: height - Number(high) }, { x: Number(x), y: Number(y) });
  const [right, bottom] = [Math.min(width, left + Number(wide)), Math.min(height, top + Number(high))];
  const region = { left: Math.max(0, left), top: Math.max(0, top) };
  const cut = { ...region, width: right - region.left, height: bottom - region.top };
  if (cut.width < 1 || cut.height < 1) throw new Error('Nothing of the image is in the part that is cut out.');
  return cut;
}

/** The position of a part with this room around it, moved from the edges that the gravity names. */
function placeOf(gravity, { width, height }, { x, y }) {
  const along = (room, offset, near, far) => {
    if (near.test(gravity)) return offset;
    return far.test(gravity) ? room - offset : Math.floor(room / 2) + offset;
  };
  return { left: along(width, x, /West/, /East/), top: along(height, y, /North/, /South/) };
}

/** The size that ImageMagick's geometry means: `400x300`, `400x`, `x300`, `50%`, with `>`, `<`, `^` or `!` behind it. */
function sizeOf(geometry, { width, height }) {
  const [, percent] = /^(\d+)%$/.exec(geometry) ?? [];
  const scaled = (factor) => ({ width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) });
  if (percent !== undefined) return scaled(Number(percent) / 100);
  const [, wide, high, mark] = /^(\d*)x(\d*)([><^!]?)$/.exec(geometry);
  if (mark === '!') return { width: Number(wide) || width, height: Number(high) || height };
  const factors = [...(wide ? [Number(wide) / width] : []), ...(high ? [Number(high) / height] : [])];
  const factor = mark === '^' ? Math.max(...factors) : Math.min(...factors);
  return (mark === '>' && factor >= 1) || (mark === '<' && factor <= 1) ? null : scaled(factor);
}

/** The watermark as sharp draws it over an image of this size, over each picture of an animation. */
async function markOf({ percent, margin, gravity, ...source }, { width, height }, { isAnimated }) {
  const { image } = await openUpright(source);
  if (percent > 0) image.resize({ width: Math.max(1, Math.round((width * percent) / 100)) });
  const drawn = image.toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' });
  const { data, info } = await drawn.toBuffer({ resolveWithObject: true }).catch((error) => {
    throw new Error(`The watermark cannot be read: ${error.message}`); // it is not the original that is damaged
  });
  const distance = Math.round(width * margin);
  const offset = { x: /West|East/.test(gravity) ? distance : 0, y: /North|South/.test(gravity) ? distance : 0 };
  const { left, top } = placeOf(gravity, { width: width - info.width, height: height - info.height }, offset);
  const seen = { left: Math.max(0, -left), top: Math.max(0, -top) };
  const part = {
    ...seen,
    width: Math.min(info.width - seen.left, width - Math.max(0, left)),
    height: Math.min(info.height - seen.top, height - Math.max(0, top)),
  };
  if (part.width < 1 || part.height < 1) throw new Error('The watermark is outside of the image.');
  const cut = await sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } })
    .extract(part)
    .raw()
    .toBuffer();
  const mark = { input: cut, raw: { width: part.width, height: part.height, channels: 4 }, left: Math.max(0, left), top: Math.max(0, top) };
  if (!isAnimated) return mark;
  const canvas = sharp({ create: { width, height, channels: 4, background: 'transparent' } }).composite([mark]);
  return { input: await canvas.raw().toBuffer(), raw: { width, height, channels: 4 }, tile: true, gravity: 'northwest' };
}

const print = (line) => void process.stdout.write(`${line}\n`);

async function main() {
  if (task === '--version') return print(`sharp ${sharp.versions.sharp} (libvips ${sharp.versions.vips})`);
  const job = JSON.parse(text);
  const types = [job.type, ...(job.mainOf ? ['heif'] : []), ...(job.watermark ? [job.watermark.type] : [])];
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: [OWN_LOADER, ...types.map((type) => LOADERS[type])] });
  // A process makes several renditions at a time, each with one thread.
  sharp.concurrency(1);
  sharp.cache(false);
  if (task === 'measure') return print(JSON.stringify(await measure(job)));
  if (task === 'examine') return print(JSON.stringify(await examine(job)));
  await make(job);
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
