import { appendChunk, insertChunk, markReduced, timePng, timeWebp } from './change-bytes.js';
import { cutOff, type Recipe, type RefusedFile, type Rgb, SECRETS } from './make-file.js';
import { bareRawPhoto, fujifilmPhoto, rawPhoto, rawPhotoInStrip } from './raw-photos.js';

/** The colours in the middle of the four quarters: above left, above right, below left, below right; null: transparent. */
export type Corners = readonly [Rgb | null, Rgb | null, Rgb | null, Rgb | null];

/** A picture as cameras, telephones and programs write it, and what every rendition of it must be. */
export interface CorpusPicture extends Recipe {
  /** Pixels, upright. */
  readonly width: number;
  readonly height: number;
  readonly corners: Corners;
  /** Pictures of an animation; absent: 1. */
  readonly pictures?: number;
  /** Milliseconds of each picture of an animation, and how often it plays (0: for ever); absent: not measured. */
  readonly timing?: { readonly delays: readonly number[]; readonly plays: number };
  /** How far colours may be from the expected ones (CIE 1976); absent: 3. */
  readonly tolerance?: number;
}

const CORNERS: Corners = [
  [196, 52, 62],
  [60, 160, 80],
  [50, 80, 170],
  [128, 128, 128],
];
/** Colours that inks can print, and what is left of them in print, by the profile of the inks (Little CMS in ImageMagick). */
const INKS: Corners = [
  [160, 100, 100],
  [110, 140, 110],
  [100, 110, 140],
  [128, 128, 128],
];
const PRINTED: Corners = [
  [159, 92, 91],
  [101, 135, 100],
  [94, 103, 134],
  [115, 114, 116],
];
/** The same numbers as those of CORNERS in Display P3, as Little CMS and Chromium show them. */
const WIDE: Corners = [
  [213, 29, 56],
  [0, 162, 68],
  [39, 80, 175],
  [128, 128, 128],
];
/** Colours that are stored in high dynamic range with the primaries of BT.2020, and what ffmpeg makes of a film that has them. */
const BRIGHT: Corners = [
  [120, 100, 100],
  [110, 130, 110],
  [100, 110, 140],
  [128, 128, 128],
];
const MAPPED_PQ: Corners = [
  [153, 88, 94],
  [66, 162, 106],
  [61, 109, 182],
  [154, 154, 154],
];
const MAPPED_HLG: Corners = [
  [126, 94, 97],
  [92, 128, 104],
  [84, 106, 137],
  [125, 125, 125],
];
const GREYS: Corners = [
  [60, 60, 60],
  [110, 110, 110],
  [160, 160, 160],
  [210, 210, 210],
];
const CUT_OUT: Corners = [null, [60, 160, 80], [50, 80, 170], [128, 128, 128]];

const [WIDTH, HEIGHT] = [64, 48];
const SIZE = { width: WIDTH, height: HEIGHT };

/** ImageMagick's arguments that draw four quarters. */
const quarters = (corners: Corners, width = WIDTH, height = HEIGHT): readonly string[] => {
  const [first, second, third, fourth] = corners.map((color) => (color ? `xc:rgb(${color})` : 'xc:none'));
  const row = (...patches: readonly (string | undefined)[]) => [
    '(',
    '-size',
    `${width / 2}x${height / 2}`,
    ...patches.map(String),
    '+append',
    ')',
  ];
  return [...row(first, second), ...row(third, fourth), '-append', '+repage'];
};
const drawn = (corners: Corners, ...more: readonly string[]) => ['convert', ...quarters(corners), ...more];
const drawing = (name: string, extension: string, corners: Corners, ...more: readonly string[]): CorpusPicture => ({
  ...{ name, extension, corners, ...SIZE },
  runs: [drawn(corners, ...more, '{file}')],
});

/** What a camera stores, so that it is upright when it is shown with this EXIF orientation. */
const LYING: Readonly<Record<number, readonly string[]>> = {
  1: [],
  2: ['-flop'],
  3: ['-rotate', '180'],
  4: ['-flip'],
  5: ['-transpose'],
  6: ['-rotate', '270'],
  7: ['-transverse'],
  8: ['-rotate', '90'],
};
/** What a camera writes about its place, its owner and itself, in the tags of exiftool. */
const OWNED = [
  ...[
    '-GPSLatitude=52.52',
    '-GPSLatitudeRef=N',
    '-EXIF:SerialNumber=4711-0815',
    '-EXIF:OwnerName=Ada Vandermeer',
    '-EXIF:Artist=Ada Vandermeer',
  ],
  ...['-IPTC:By-line=Ada Vandermeer', '-XMP-aux:SerialNumber=4711-0815', '-XMP-dc:Creator=Ada Vandermeer'],
];
const lying = (extension: string, orientation: number, ...more: readonly string[]): CorpusPicture => ({
  ...{ name: `a lying picture (${extension}, orientation ${orientation})`, extension, corners: CORNERS, ...SIZE },
  runs: [
    drawn(CORNERS, ...(LYING[orientation] ?? []), '+repage', '-quality', '95', ...more, '{file}'),
    ['exiftool', '-q', '-q', '-m', '-overwrite_original', '-n', `-Orientation=${orientation}`, ...OWNED, '{file}'],
  ],
  secrets: SECRETS,
});

const BEST = ['-quality', '100', '-sampling-factor', '4:4:4'];
const profiled = (...names: readonly string[]) => names.flatMap((name) => ['-profile', `${name}.icc`]);
const printed = (extension: string, ...more: readonly string[]): CorpusPicture => ({
  ...drawing('a page for print with the profile of its inks', extension, INKS, ...profiled('srgb', 'cmyk'), ...more),
  corners: PRINTED,
});
/** Three pictures of an animation, the first one of which are the quarters. */
const FRAMES = ['-delay', '20', '(', '+clone', '-negate', ')', '(', '-clone', '0', '-flip', ')', '-loop', '0'];

/** An AVIF of the colours that these code points of ITU-T H.273 state: primaries, transfer, matrix. */
const coded = (name: string, codes: string, stored: Corners, corners: Corners): CorpusPicture => ({
  ...{ name, extension: 'avif', corners, ...SIZE },
  runs: [
    drawn(stored, '-depth', '16', 'png48:{0}.png'),
    ['avifenc', '--min', '0', '--max', '0', '-d', '10', '--cicp', codes, '{0}.png', '{file}'],
  ],
});
/** An HEIC like that. heif-enc of Debian 12 writes no code points, so they replace the profile that it writes. */
const codedPhoto = (name: string, codes: string, stored: Corners, corners: Corners): CorpusPicture => ({
  ...{ name, extension: 'heic', corners, ...SIZE },
  runs: [drawn(stored, ...profiled('srgb'), 'png24:{0}.png'), ['heif-enc', '-q', '98', '{0}.png', '-o', '{file}']],
  change: (heic) => {
    const [primaries = 0, transfer = 0, matrix = 0] = codes.split('/').map(Number);
    const stated = Buffer.from([0, primaries, 0, transfer, 0, matrix, 0x80]);
    Buffer.concat([Buffer.from('nclx'), stated]).copy(heic, heic.indexOf('colrprof') + 4);
    return heic;
  },
});
const bytes = (...numbers: readonly number[]) => Buffer.concat(numbers.map((number) => uint32(number)));
const uint32 = (number: number) => Buffer.from(number.toString(16).padStart(8, '0'), 'hex');
/** A PNG that states its colours by a chunk, and by no other one. */
const stating = (name: string, chunks: Readonly<Record<string, Buffer>>): CorpusPicture => ({
  ...drawing(name, 'png', CORNERS, '-define', 'png:exclude-chunk=all'),
  ...{ corners: WIDE, change: (png) => Object.entries(chunks).reduce((known, [type, content]) => insertChunk(known, type, content), png) },
});
const P3_CODES = Buffer.from([12, 13, 0, 1]);
const P3_CHROMATICITIES = bytes(31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000);

/** Three pictures of unequal times, the first one of which are the quarters. */
const shown = (hundredths: number, ...change: readonly string[]) => ['(', '-clone', '0', ...change, '-set', 'delay', `${hundredths}`, ')'];
const UNEQUAL_FRAMES = [...shown(10), ...shown(50, '-negate'), ...shown(100, '-flip'), '-delete', '0', '-loop', '3'];
const TIMED = { pictures: 3, timing: { delays: [100, 500, 1_000], plays: 3 } };
/** The EXIF data of a picture that states its orientation, and nothing else (Exif 2.32, section 4.5.4). */
const oriented = (orientation: number): Buffer => Buffer.from(`4d4d002a0000000800010112000300000001000${orientation}000000000000`, 'hex');
const raw = (extension: string, change: (photo: Buffer) => Buffer, ...more: readonly string[]): CorpusPicture => ({
  ...drawing('a raw photo with a JPEG in it', extension, CORNERS),
  runs: [drawn(CORNERS, ...more, ...BEST, 'jpg:{file}')],
  change,
});

/** Pictures of a few kilobytes, but for a panorama. */
export const PICTURES: readonly CorpusPicture[] = [
  drawing('a photo in Display P3', 'jpg', CORNERS, ...profiled('srgb', 'p3'), ...BEST),
  drawing('a photo in Adobe RGB', 'jpg', CORNERS, ...profiled('srgb', 'adobe'), ...BEST),
  drawing('a scan in ProPhoto RGB of 16 bits', 'tif', CORNERS, '-depth', '16', ...profiled('srgb', 'prophoto')),
  printed('jpg', ...BEST),
  printed('tif'),
  // Without a profile it has the colours of common inks, which differ from those that ImageMagick has in mind.
  { ...drawing('a page for print without a profile', 'jpg', INKS, '-colorspace', 'CMYK', ...BEST), tolerance: 40 },
  drawing('a photo in black and white', 'jpg', GREYS, '-colorspace', 'Gray', ...BEST),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => lying('jpg', orientation)),
  ...[3, 6].map((orientation) => lying('webp', orientation)),
  ...[5, 8].map((orientation) => lying('png', orientation)),
  ...[6, 7].map((orientation) => lying('tif', orientation, '-compress', 'JPEG')),
  {
    ...{ name: 'a photo of a telephone', extension: 'heic', corners: CORNERS, ...SIZE },
    runs: [drawn(CORNERS, 'png24:{0}.png'), ['heif-enc', '-q', '95', '{0}.png', '-o', '{file}']],
  },
  ...['heic', 'avif'].map((extension) => ({
    ...{ name: `a cut-out (${extension})`, extension, corners: CUT_OUT, ...SIZE },
    runs: [drawn(CUT_OUT, 'png32:{0}.png'), ['heif-enc', '-q', '95', '{0}.png', '-o', '{file}']],
  })),
  drawing('a cut-out of a program for retouching', 'psd', CUT_OUT),
  drawing('a cut-out of few colours', 'png', CUT_OUT, '-type', 'PaletteAlpha'),
  drawing('a grey cut-out', 'png', [null, GREYS[1], GREYS[2], GREYS[3]], '-type', 'GrayscaleAlpha'),
  drawing('a cut-out of the web', 'webp', CUT_OUT, '-define', 'webp:lossless=true'),
  drawing('a scan of an archive', 'jp2', CORNERS, '-quality', '95'),
  drawing('a picture of an old program', 'bmp', CORNERS),
  drawing('a picture of 16 bits', 'png', CORNERS, '-depth', '16', '-define', 'png:bit-depth=16'),
  drawing('an interlaced picture', 'png', CORNERS, '-interlace', 'PNG'),
  drawing(
    'a fax',
    'tif',
    [
      [0, 0, 0],
      [255, 255, 255],
      [255, 255, 255],
      [0, 0, 0],
    ],
    '-monochrome',
    '-compress',
    'Group4',
  ),
  { ...drawing('a JPEG that is called PNG', 'png', CORNERS), runs: [drawn(CORNERS, ...BEST, 'jpg:{file}')] },
  { ...drawing('an animation', 'gif', CORNERS, ...FRAMES), pictures: 3 },
  { ...drawing('an animation', 'webp', CORNERS, ...FRAMES, '-define', 'webp:lossless=true'), pictures: 3 },
  {
    ...{ name: 'an animation', extension: 'png', corners: CORNERS, ...SIZE, pictures: 3 },
    runs: [drawn(CORNERS, ...FRAMES, '{0}.gif'), ['ffmpeg', '-v', 'error', '-y', '-i', '{0}.gif', '-plays', '0', '-f', 'apng', '{file}']],
  },
  // Several pages, layers or pictures are no animation.
  drawing('a document of several pages', 'tif', CORNERS, '(', '+clone', '-negate', ')', '-compress', 'LZW'),
  drawing('a document of pages of two sizes', 'tif', CORNERS, '(', '+clone', '-negate', '-resize', '50%', ')', '-compress', 'LZW'),
  drawing('a picture of layers', 'psd', CORNERS, '(', '+clone', ')', '(', '+clone', '-negate', ')'),
  ...['heic', 'avif'].map((extension) => ({
    ...{ name: `a collection (${extension})`, extension, corners: CORNERS, ...SIZE },
    runs: [
      drawn(CORNERS, 'png32:{0}.png'),
      ['convert', '{0}.png', '-channel', 'RGB', '-negate', 'png32:{0}-other.png'],
      ['heif-enc', '{0}.png', '{0}-other.png', '-o', '{file}'],
    ],
  })),
  // Colours that are stated without a profile.
  coded('a picture in P3', '12/13/6', CORNERS, WIDE),
  codedPhoto('a photo in P3 without a profile', '12/13/6', CORNERS, WIDE),
  coded('a picture of high dynamic range (PQ)', '9/16/9', BRIGHT, MAPPED_PQ),
  { ...codedPhoto('a photo of high dynamic range (PQ)', '9/16/6', BRIGHT, MAPPED_PQ), tolerance: 6 },
  { ...coded('a picture of high dynamic range (HLG)', '9/18/9', BRIGHT, MAPPED_HLG), tolerance: 6 },
  stating('a picture in P3 by code points', { cICP: P3_CODES }),
  stating('a picture in P3 by chromaticities', { cHRM: P3_CHROMATICITIES, gAMA: bytes(45_455) }),
  // Animations keep their times and the number of plays.
  { ...drawing('an animation of unequal times', 'gif', CORNERS, ...UNEQUAL_FRAMES), ...TIMED },
  {
    ...drawing('an animation of unequal times', 'webp', CORNERS, ...FRAMES, '-define', 'webp:lossless=true'),
    ...{ ...TIMED, change: timeWebp },
  },
  {
    ...{ name: 'an animation of unequal times', extension: 'png', corners: CORNERS, ...SIZE, ...TIMED, change: timePng },
    runs: [
      drawn(CORNERS, ...UNEQUAL_FRAMES, '{0}.gif'),
      ['ffmpeg', '-v', 'error', '-y', '-i', '{0}.gif', '-fps_mode', 'passthrough', '-plays', '3', '-f', 'apng', '{file}'],
    ],
  },
  {
    ...{ name: 'an animation of unequal times', extension: 'avif', corners: CORNERS, ...SIZE },
    // avifenc of Debian 12 writes no number of plays, which browsers take for endless ones.
    ...{ pictures: 3, timing: { delays: [100, 500, 1_000], plays: 0 } },
    runs: [
      drawn(CORNERS, 'png24:{0}.png'),
      ['convert', '{0}.png', '-negate', 'png24:{0}-negated.png'],
      ['convert', '{0}.png', '-flip', 'png24:{0}-turned.png'],
      [
        ...['avifenc', '--min', '0', '--max', '0', '--timescale', '10'],
        ...['--duration', '1', '{0}.png', '--duration', '5', '{0}-negated.png', '--duration', '10', '{0}-turned.png', '{file}'],
      ],
    ],
  },
  {
    ...{ name: 'a lying picture that says so at its end', extension: 'png', corners: CORNERS, ...SIZE },
    runs: [drawn(CORNERS, ...(LYING[6] ?? []), '+repage', '{file}')],
    change: (png: Buffer) => appendChunk(png, 'eXIf', oriented(6)),
  },
  // Animations that lie are turned upright, and stay animations.
  ...[2, 5, 6].map((orientation) => ({
    ...{ name: `a lying animation (orientation ${orientation})`, extension: 'png', corners: CORNERS, ...SIZE, ...TIMED },
    runs: [
      drawn(CORNERS, ...(LYING[orientation] ?? []), '+repage', ...UNEQUAL_FRAMES, '{0}.gif'),
      ['ffmpeg', '-v', 'error', '-y', '-i', '{0}.gif', '-fps_mode', 'passthrough', '-plays', '3', '-f', 'apng', '{file}'],
    ],
    change: (png: Buffer) => insertChunk(timePng(png), 'eXIf', oriented(orientation)),
  })),
  {
    ...{ name: 'a lying animation (orientation 6)', extension: 'webp', corners: CORNERS, ...SIZE, ...TIMED, change: timeWebp },
    runs: [
      drawn(CORNERS, ...(LYING[6] ?? []), '+repage', ...FRAMES, '-define', 'webp:lossless=true', '{file}'),
      ['exiftool', '-q', '-q', '-m', '-overwrite_original', '-n', '-Orientation=6', '{file}'],
    ],
  },
  // Raw photos are their largest JPEG, and a TIFF is its first full page.
  raw('dng', rawPhoto()),
  raw('nef', rawPhoto(6), ...(LYING[6] ?? []), '+repage'),
  raw('arw', rawPhotoInStrip),
  raw('raf', fujifilmPhoto),
  {
    ...drawing('a page with a preview in front', 'tif', CORNERS),
    runs: [drawn(CORNERS, '(', '+clone', '-resize', '16x12', '-negate', ')', '-swap', '0,1', '{file}')],
    change: (tiff) => markReduced(tiff),
  },
  drawing('a scan in L*a*b*', 'tif', CORNERS, '-colorspace', 'Lab'),
  drawing('a scan in L*a*b* of 16 bits', 'tif', CORNERS, '-depth', '16', '-colorspace', 'Lab'),
  { ...drawing('a large scan', 'tif', CORNERS), runs: [drawn(CORNERS, '-compress', 'LZW', 'tiff64:{file}')] },
  { ...drawing('a scan of an archive without its box', 'j2k', CORNERS), runs: [drawn(CORNERS, '-quality', '95', 'j2k:{file}')] },
  // What is missing of a JPEG is grey, as browsers show it.
  {
    ...drawing('a photo that was cut off', 'jpg', CORNERS, '-resize', '1200x900!', '-quality', '100'),
    ...{ width: 1_200, height: 900, corners: [CORNERS[0], CORNERS[1], CORNERS[3], CORNERS[3]], change: cutOff(0.5) },
  },
  { ...drawing('a picture of odd sides', 'png', CORNERS, '-crop', '63x47+0+0', '+repage'), width: 63, height: 47 },
  {
    ...{ name: 'a picture of one pixel', extension: 'gif', width: 1, height: 1, corners: [GREYS[0], GREYS[0], GREYS[0], GREYS[0]] },
    runs: [['convert', '-size', '1x1', `xc:rgb(${GREYS[0]})`, '{file}']],
  },
  {
    ...{ name: 'a panorama of a telephone', extension: 'jpg', width: 16_382, height: 3_628, corners: CORNERS },
    // ImageMagick of Debian draws at most 16,000 pixels a side.
    runs: [
      ['convert', ...quarters(CORNERS), 'png24:{0}.png'],
      [
        ...['ffmpeg', '-v', 'error', '-y', '-i', '{0}.png', '-q:v', '2', '-pix_fmt', 'yuvj444p'],
        ...['-vf', 'scale=16382:3628:flags=neighbor:out_color_matrix=bt601:out_range=full', '{file}'],
      ],
    ],
  },
];

const DAMAGED = /damaged.*Upload it again/;
/** Noise, of which a part is recognised as a part. */
const NOISE = ['convert', '-size', '320x240', 'plasma:red-blue'];

/** Files that are no pictures, or not whole. */
export const REFUSED_PICTURES: readonly RefusedFile[] = [
  {
    name: 'a drawing',
    extension: 'svg',
    content: '<svg xmlns="http://www.w3.org/2000/svg"/>',
    reason: /an SVG drawing\. Upload a JPEG or PNG/,
  },
  { name: 'a raw photo without a JPEG', extension: 'dng', content: bareRawPhoto(), reason: /is a raw photo.*export it as a JPEG/ },
  {
    ...{ name: 'a raw photo in boxes', extension: 'cr3', content: Buffer.from('000000186674797063727820', 'hex') },
    reason: /is a raw photo.*export it as a JPEG/,
  },
  {
    ...{ name: 'a picture in JPEG XL', extension: 'jxl', reason: /it is a JPEG XL\. Upload a JPEG or PNG/ },
    runs: [drawn(CORNERS, 'png24:{0}.png'), ['ffmpeg', '-v', 'error', '-y', '-i', '{0}.png', '-c:v', 'libjxl', '{file}']],
  },
  {
    ...{ name: 'a picture in JPEG XL with boxes', extension: 'jxl', reason: /it is a JPEG XL\. Upload a JPEG or PNG/ },
    content: Buffer.from('0000000c4a584c200d0a870a', 'hex'),
  },
  { name: 'a picture of Netpbm', extension: 'ppm', content: 'P3 1 1 255 9 9 9 ', reason: /is a picture of Netpbm.*Upload a JPEG or PNG/ },
  { name: 'a picture without bytes', extension: 'png', content: '', reason: /is empty\. Upload it again/ },
  ...['png', 'tif', 'webp', 'gif', 'bmp', 'jp2'].map((extension) => ({
    ...{ name: 'a picture that was cut off', extension, change: cutOff(0.6), reason: DAMAGED },
    runs: [[...NOISE, '{file}']],
  })),
  ...['heic', 'avif'].map((extension) => ({
    ...{ name: 'a picture that was cut off', extension, change: cutOff(0.7), reason: DAMAGED },
    runs: [
      [...NOISE, 'png24:{0}.png'],
      ['heif-enc', '{0}.png', '-o', '{file}'],
    ],
  })),
];
