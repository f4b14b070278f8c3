// Makes or measures one image with sharp. Runs as a program of its own, in the sandbox of programs (sharp-program.ts):
//   node run-sharp.cjs SHARP --version
//   node run-sharp.cjs SHARP measure JOB
//   node run-sharp.cjs SHARP make JOB
// SHARP is the file of the package, JOB is JSON (formats/converters/sharp-job.ts). What it cannot do ends with code 1 and one line.
const [, , file, task, text] = process.argv;
const sharp = require(file);

/** The readers by type. All others stay blocked, whatever the content claims to be: some open further files. */
const LOADERS = {
  jpeg: 'VipsForeignLoadJpegFile',
  png: 'VipsForeignLoadPngFile',
  webp: 'VipsForeignLoadWebpFile',
  gif: 'VipsForeignLoadNsgifFile',
  tiff: 'VipsForeignLoadTiffFile',
  avif: 'VipsForeignLoadHeifFile',
};
/** As ImageMagick's limits `area`, `width` and `height`. */
const MAX_PIXELS = 128_000_000;
const MAX_SIDE = 16_000;

/** Bytes behind the end of a JPEG count as grey, as for ImageMagick; other images must be complete. */
const open = ({ input, type }) => sharp(input, { limitInputPixels: MAX_PIXELS, failOn: type === 'jpeg' ? 'none' : 'truncated' });

async function measure(job) {
  const { width, height } = await open(job).metadata();
  if (width > MAX_SIDE || height > MAX_SIDE) throw new Error(`A side of the image is longer than ${MAX_SIDE} pixels.`);
  return { width, height };
}

async function make(job) {
  await measure(job);
  const image = open(job);
  const { autoOrient: upright } = await image.metadata();
  image.autoOrient();
  const region = job.crop && cropOf(job, upright);
  if (region) image.extract(region);
  const size = job.size && sizeOf(job.size, region ?? upright);
  if (size) image.resize({ ...size, fit: 'fill' });
  if (job.background) image.flatten({ background: job.background });
  if (job.gray) image.greyscale();
  if (job.xmp) image.withXmp(job.xmp);
  await image.toFormat(job.format, job.options).toFile(job.output);
}

/** The part of the image that ImageMagick's -crop keeps: at the gravity, moved by the offset, and only what is in the image. */
function cropOf({ crop, gravity }, { width, height }) {
  const [, wide, high, x = '0', y = '0'] = /^(\d+)x(\d+)(?:([+-]\d+)([+-]\d+))?$/.exec(crop);
  const place = (length, part, offset, near, far) => {
    if (near.test(gravity)) return offset;
    return far.test(gravity) ? length - part - offset : Math.floor((length - part) / 2) + offset;
  };
  const left = place(width, Number(wide), Number(x), /West/, /East/);
  const top = place(height, Number(high), Number(y), /North/, /South/);
  const [right, bottom] = [Math.min(width, left + Number(wide)), Math.min(height, top + Number(high))];
  const region = { left: Math.max(0, left), top: Math.max(0, top) };
  const cut = { ...region, width: right - region.left, height: bottom - region.top };
  if (cut.width < 1 || cut.height < 1) throw new Error('Nothing of the image is in the part that is cut out.');
  return cut;
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

const print = (line) => void process.stdout.write(`${line}\n`);

async function main() {
  if (task === '--version') return print(`sharp ${sharp.versions.sharp} (libvips ${sharp.versions.vips})`);
  const job = JSON.parse(text);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: [LOADERS[job.type]] });
  // A process makes several renditions at a time, each with one thread.
  sharp.concurrency(1);
  sharp.cache(false);
  if (task === 'measure') return print(JSON.stringify(await measure(job)));
  await make(job);
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
