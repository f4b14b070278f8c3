import { cutOff, type Recipe, type RefusedFile, type Rgb, SECRETS } from './make-file.js';

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
