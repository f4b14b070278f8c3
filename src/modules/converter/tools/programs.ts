import { availableParallelism } from 'node:os';
import type { ProgramName, Step } from '../../formats/index.js';
import type { ToolLimits } from './tool-run.js';

const MEBIBYTE = 1_048_576;
const GIBIBYTE = 1_024 * MEBIBYTE;

/** What the limits of a program depend on. */
export interface Task {
  /** Bytes of the original. */
  readonly sourceSize: number;
  /** Expected duration of the result in seconds; null: unknown, or the result has no duration. */
  readonly seconds: number | null;
}

/** A program that converters start. */
export interface KnownProgram {
  /** Its file names, the preferred first. */
  readonly files: readonly string[];
  /** Arguments with which it prints its version, and nothing else. */
  readonly argv: readonly string[];
  /** Matches the output with which the program identifies itself; the group is its version. */
  readonly introduction: RegExp;
  /** The name of the program for people. */
  readonly title: string;
  readonly limits: (task: Task) => ToolLimits;
}

/** `memoryBytes` limits address space: far more than is used, because threads reserve it, and much less than a decompression bomb allocates. */
const limits = (seconds: number, memoryBytes: number, fileBytes: number): ToolLimits => ({
  seconds,
  cpuSeconds: Math.ceil(seconds * availableParallelism()),
  fileBytes,
  memoryBytes,
});

/** ffprobe reads the start of a file, and sometimes the end. */
export const PROBE_LIMITS: ToolLimits = { seconds: 60, cpuSeconds: 60, fileBytes: 4 * MEBIBYTE, memoryBytes: 4 * GIBIBYTE };

/** Seconds of work per second of media: the slowest realistic encoding (8K, preset veryslow, two old cores) takes a minute for each. */
const FFMPEG_PACE = 60;
const FFMPEG_START_SECONDS = 600;
/** The time limit in seconds for media of unknown length. */
const FFMPEG_MAX_SECONDS = 86_400;
/** The worst realistic growth: speech in Opus becomes WAV, a short and well compressed film becomes ProRes. */
const MAX_GROWTH = 60;

const grown = ({ sourceSize }: Task): number => GIBIBYTE + MAX_GROWTH * sourceSize;

const ffmpegSeconds = ({ seconds }: Task): number =>
  seconds === null ? FFMPEG_MAX_SECONDS : Math.ceil(Math.min(FFMPEG_MAX_SECONDS * 7, FFMPEG_START_SECONDS + FFMPEG_PACE * seconds));

/** The programs that converters start. */
export const KNOWN_PROGRAMS: Readonly<Record<ProgramName, KnownProgram>> = {
  ffmpeg: {
    files: ['ffmpeg'],
    argv: ['-version'],
    introduction: /^ffmpeg version (\S+)/m,
    title: 'ffmpeg',
    limits: (task) => limits(ffmpegSeconds(task), 16 * GIBIBYTE, grown(task)),
  },
  ffprobe: {
    files: ['ffprobe'],
    argv: ['-version'],
    introduction: /^ffprobe version (\S+)/m,
    title: 'ffprobe',
    limits: () => PROBE_LIMITS,
  },
  convert: {
    // Version 7 is called magick and takes the same arguments; under the old name it prints a warning at each run.
    files: ['convert', 'magick'],
    argv: ['-version'],
    introduction: /^Version: ImageMagick (\S+)/m,
    title: 'ImageMagick',
    // ImageMagick's own limits end it after two minutes and at a gigabyte.
    limits: () => limits(150, 4 * GIBIBYTE, 2 * GIBIBYTE),
  },
  soffice: {
    files: ['soffice', 'libreoffice'],
    argv: ['--version'],
    introduction: /^LibreOffice(?:Dev)? (\S+)/m,
    title: 'LibreOffice',
    // A book takes half a minute; a document that is not converted within five minutes never will be.
    limits: () => limits(300, 4 * GIBIBYTE, GIBIBYTE),
  },
  pdfinfo: {
    files: ['pdfinfo'],
    argv: ['-v'],
    introduction: /^pdfinfo version (\S+)/m,
    title: 'pdfinfo',
    limits: () => limits(60, 4 * GIBIBYTE, MEBIBYTE),
  },
  pdftoppm: {
    files: ['pdftoppm'],
    argv: ['-v'],
    introduction: /^pdftoppm version (\S+)/m,
    title: 'pdftoppm',
    // The limit of processor time of short work ends it earlier, unless the machine is busy.
    limits: () => limits(300, 4 * GIBIBYTE, GIBIBYTE),
  },
  'heif-convert': {
    // Newer versions are called heif-dec and keep the old name as a link.
    files: ['heif-convert', 'heif-dec'],
    argv: ['--help'],
    introduction: /libheif version: (\d\S*)/,
    title: 'heif-convert',
    limits: () => limits(120, 4 * GIBIBYTE, 2 * GIBIBYTE),
  },
  sharp: {
    // sharp is a package of the service (sharp-program.ts).
    files: [],
    argv: ['--version'],
    introduction: /^sharp (.+)$/m,
    title: 'sharp',
    limits: () => limits(150, 4 * GIBIBYTE, 2 * GIBIBYTE),
  },
  exiftool: {
    files: ['exiftool'],
    argv: ['-ver'],
    introduction: /^(\d+\.\d+)$/m,
    title: 'exiftool',
    limits: () => limits(60, 2 * GIBIBYTE, 2 * GIBIBYTE),
  },
};

/** The limits of a run. The operator's own programs are trusted: they get an hour, and all the address space that runtimes reserve. */
export function toolLimits({ program }: Pick<Step, 'program'>, task: Task): ToolLimits {
  return typeof program === 'string' ? KNOWN_PROGRAMS[program].limits(task) : limits(3_600, 64 * GIBIBYTE, grown(task));
}
