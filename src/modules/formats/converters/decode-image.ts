import { MissingProgram, type ProgramName, Refusal, type Step } from './converter.js';

/** An image in a file that sharp reads, and the steps that make this file of the original. */
export interface ReadableImage {
  readonly input: string;
  /** sharp's name of the type (run-sharp.cjs). */
  readonly type: string;
  readonly steps: readonly Step[];
  /** Whether the orientation has been applied. */
  readonly isUpright?: boolean;
  /** An HEIC file whose main image `input` is; the name of `input` has a number behind it if there are several images. */
  readonly mainOf?: string;
}

/** The resources of one run of ImageMagick; `time` in seconds. Debian's own policy applies where it is stricter. */
export const LIMITS = Object.entries({
  ...{ memory: '512MiB', map: '1GiB', disk: '2GiB', area: '128MP', width: '16KP', height: '16KP', time: '120' },
}).flatMap(([name, limit]) => ['-limit', name, limit]);

/** What ImageMagick reads, by extension. The type is always named: some types (SVG, MVG, MSL, PS) are programs that read files and open URLs. */
const DECODED_BY_IMAGEMAGICK: ReadonlyMap<string, string> = new Map([
  ['bmp', 'bmp'],
  ['jp2', 'jp2'],
  ['psd', 'psd'],
]);

/** What sharp reads, by extension. */
const READ_BY_SHARP: ReadonlyMap<string, string> = new Map([
  ['jpg', 'jpeg'],
  ['jpeg', 'jpeg'],
  ['jpe', 'jpeg'],
  ['png', 'png'],
  ['apng', 'png'],
  ['webp', 'webp'],
  ['gif', 'gif'],
  ['tif', 'tiff'],
  ['tiff', 'tiff'],
  ['avif', 'heif'],
]);

/** Whether pictures with this extension can be decoded on a machine that has all programs. */
export const isReadablePicture = (extension: string): boolean =>
  READ_BY_SHARP.has(extension) || DECODED_BY_IMAGEMAGICK.has(extension) || ['heic', 'heif'].includes(extension);

/** Returns sharp's name of a type of images; null: sharp cannot read it. */
export const sharpTypeOf = (extension: string | null): string | null => READ_BY_SHARP.get(nameOf(extension)) ?? null;

const nameOf = (extension: string | null): string => (extension ?? '').toLowerCase().replace(/^\./, '');

interface DecodeRequest {
  readonly file: string;
  /** The actual type of the file. */
  readonly extension: string | null;
  /** The programs of this machine. */
  readonly programs: readonly string[];
  /** Whether all pictures of an animation are needed. */
  readonly animated?: boolean;
}

/**
 * Plans how an image gets into a file that sharp reads: without loss, with its profile and its transparency. Throws a Refusal for other types, and
 * MissingProgram.
 */
export function decodeImage({ file, extension, programs, animated = false }: DecodeRequest): ReadableImage {
  const type = nameOf(extension);
  const step = (program: ProgramName, argv: readonly string[], reason: string): Step => {
    if (!programs.includes(program)) throw new MissingProgram(program);
    return { program, argv, stdout: null, reason };
  };
  if (type === 'apng' && animated) {
    const reason = 'an animated PNG, of which libvips reads only the first picture';
    return { input: `${file}-webp`, type: 'webp', steps: [step('ffmpeg', apngToWebp(file, `${file}-webp`), reason)] };
  }
  const read = READ_BY_SHARP.get(type);
  if (read !== undefined) return { input: file, type: read, steps: [] };
  if (type === 'heic' || type === 'heif') {
    const input = `${file}-decoded.png`;
    const reason = 'HEIC, for which the libvips of sharp has no decoder, because of patents';
    return { input, type: 'png', steps: [step('heif-convert', [file, input], reason)], isUpright: true, mainOf: file };
  }
  const coder = DECODED_BY_IMAGEMAGICK.get(type);
  if (coder === undefined) throw new Refusal(`Images of the type ${JSON.stringify(extension ?? '')} are not supported.`);
  const input = `${file}-decoded`;
  const argv = [
    ...LIMITS,
    '-define',
    'registry:temporary-path=.',
    `${coder}:${file}[0]`,
    '+profile',
    '!icc,!8bim,!iptc,*',
    `tiff:${input}`,
  ];
  return { input, type: 'tiff', steps: [step('convert', argv, `${coder.toUpperCase()}, which libvips does not read`)] };
}

/** The part of a job of sharp that names its image. */
export const inputOf = ({ input, type, isUpright, mainOf }: ReadableImage): Omit<ReadableImage, 'steps'> => ({
  ...{ input, type },
  ...(isUpright && { isUpright }),
  ...(mainOf !== undefined && { mainOf }),
});

/** libvips reads only the first picture of an APNG. ffmpeg writes all of them, with their times, as a lossless WebP. */
const apngToWebp = (file: string, output: string): readonly string[] => [
  ...['-nostdin', '-hide_banner', '-loglevel', 'warning', '-y', '-protocol_whitelist', 'file', '-f', 'apng', '-i', `file:${file}`],
  ...['-map_metadata', '-1', '-c:v', 'libwebp_anim', '-lossless', '1', '-loop', '0', '-f', 'webp', `file:${output}`],
];
