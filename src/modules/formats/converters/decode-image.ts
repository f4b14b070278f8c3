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
  /** The file with the pictures of an animation that libvips does not read (run-sharp.cjs); absent: it reads them, or only the first one is needed. */
  readonly frames?: string;
}

/** The resources of one run of ImageMagick; `time` in seconds. Debian's own policy applies where it is stricter. */
export const LIMITS = Object.entries({
  ...{ memory: '512MiB', map: '1GiB', disk: '2GiB', area: '128MP', width: '16KP', height: '16KP', time: '120' },
}).flatMap(([name, limit]) => ['-limit', name, limit]);

/** What ImageMagick reads, by extension. The type is always named: some types (SVG, MVG, MSL, PS) are programs that read files and open URLs. */
const DECODED_BY_IMAGEMAGICK: ReadonlyMap<string, string> = new Map([
  ['bmp', 'bmp'],
  ['jp2', 'jp2'],
  ['j2k', 'j2k'],
  ['psd', 'psd'],
  ['cielab', 'tiff'],
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
  ['avis', 'heif'],
]);

/**
 * Other names of files that are read: HEIC, JPEG 2000, and raw photos, of which the embedded JPEG is read. A file is read by its content, whatever its
 * name is.
 */
const OTHER_NAMES: ReadonlySet<string> = new Set([
  ...['heic', 'heif', 'heics', 'heifs', 'hif', 'avifs', 'jpf', 'jpx', 'jpc', 'j2c'],
  ...['dng', 'nef', 'nrw', 'cr2', 'cr3', 'arw', 'sr2', 'srf', 'pef', 'orf', 'rw2', 'raf'],
]);

/** Whether pictures with this extension can be decoded on a machine that has all programs. */
export const isReadablePicture = (extension: string): boolean =>
  READ_BY_SHARP.has(extension) || DECODED_BY_IMAGEMAGICK.has(extension) || OTHER_NAMES.has(extension);

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
  if (type === 'apng' && animated) return { input: file, type: 'png', steps: [], frames: file };
  if (type === 'avis' && animated) {
    const [frames, streams] = [`${file}-frames`, `${file}-streams`];
    const count: Step = { ...step('ffprobe', SEQUENCE_STREAMS(file), 'whether the pictures have transparency'), stdout: streams };
    const decode = { ...step('ffmpeg', [], 'an animated AVIF, of which libvips reads only the first picture'), makes: frames };
    const leading = { file: streams, argv: (written: string) => decodeSequence(file, frames, written.includes('1')) };
    return { input: file, type: 'heif', steps: [count, { ...decode, leading }], frames };
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
    ...(type === 'cielab' ? ['-colorspace', 'sRGB'] : []),
    '+profile',
    '!icc,!8bim,!iptc,*',
    `tiff:${input}`,
  ];
  return { input, type: 'tiff', steps: [step('convert', argv, `${coder.toUpperCase()}, which libvips does not read`)] };
}

/** The part of a job of sharp that names its image. */
export const inputOf = ({ input, type, isUpright, mainOf, frames }: ReadableImage): Omit<ReadableImage, 'steps'> => ({
  ...{ input, type },
  ...(isUpright && { isUpright }),
  ...(frames !== undefined && { frames }),
  ...(mainOf !== undefined && { mainOf }),
});

const READ_SEQUENCE = ['-protocol_whitelist', 'file', '-f', 'mov', '-i'];

/** Lists the numbers of the streams of an AVIF: the second one is the transparency. */
const SEQUENCE_STREAMS = (file: string): readonly string[] => [
  ...['-v', 'error', '-select_streams', 'v', '-show_entries', 'stream=index', '-of', 'csv=p=0', ...READ_SEQUENCE, `file:${file}`],
];

/** Decodes each picture of an animated AVIF once, as red, green, blue and opacity of 16 bits. Their times are read by run-sharp.cjs. */
const decodeSequence = (file: string, output: string, isTransparent: boolean): readonly string[] => [
  ...['-nostdin', '-hide_banner', '-loglevel', 'warning', '-y', ...READ_SEQUENCE, `file:${file}`],
  ...(isTransparent ? ['-filter_complex', '[0:v:0][0:v:1]alphamerge'] : ['-map', '0:v:0']),
  ...['-fps_mode', 'passthrough', '-pix_fmt', 'rgba64le', '-f', 'rawvideo', `file:${output}`],
];
