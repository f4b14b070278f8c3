import { availableParallelism } from 'node:os';
import type { Step } from '../../formats/index.js';
import type { ToolLimits } from '../tools/run-request.js';

const MEBIBYTE = 1_048_576;
const GIBIBYTE = 1_024 * MEBIBYTE;

/** What a limit is measured by. */
export interface Task {
  /** Bytes of the original. */
  readonly sourceSize: number;
  /** Seconds that are to be made; null: not known, or no such thing. */
  readonly seconds: number | null;
}

/** Looks at the beginning of a file, and at the end of some. */
export const PROBE_LIMITS: ToolLimits = { seconds: 60, cpuSeconds: 60, fileBytes: 4 * MEBIBYTE, memoryBytes: 4 * GIBIBYTE };

/** The slowest that anybody makes (8K, preset veryslow, two old cores) takes a minute for a second. */
const FFMPEG_PACE = 60;
const FFMPEG_START_SECONDS = 600;
/** Of media whose length nobody knows. */
const FFMPEG_LONGEST_SECONDS = 86_400;
/** Of the worst case that is meant: speech as Opus becomes WAV, a short film that is well compressed becomes ProRes. */
const GROWTH = 60;

/**
 * What a run may take. Memory is address space: far more than is used, as threads reserve it, and much less than a bomb wants. What the
 * operator added is trusted with an hour and with all the address space that runtimes reserve.
 */
export function toolLimits({ program }: Pick<Step, 'program'>, task: Task): ToolLimits {
  if (typeof program !== 'string') return limits(3_600, 64 * GIBIBYTE, grown(task));
  switch (program) {
    case 'ffmpeg':
      return limits(ffmpegSeconds(task), 16 * GIBIBYTE, grown(task));
    case 'ffprobe':
      return PROBE_LIMITS;
    case 'convert': // ends itself after two minutes and at a gigabyte
      return limits(150, 4 * GIBIBYTE, 2 * GIBIBYTE);
    case 'soffice': // a book takes half a minute; a document that opens in none of five never will
      return limits(300, 4 * GIBIBYTE, GIBIBYTE);
    case 'pdftoppm':
      return limits(120, 4 * GIBIBYTE, GIBIBYTE);
    case 'exiftool':
      return limits(60, 2 * GIBIBYTE, 2 * GIBIBYTE);
  }
}

const limits = (seconds: number, memoryBytes: number, fileBytes: number): ToolLimits => ({
  seconds,
  cpuSeconds: Math.ceil(seconds * availableParallelism()),
  fileBytes,
  memoryBytes,
});

const grown = ({ sourceSize }: Task): number => GIBIBYTE + GROWTH * sourceSize;

const ffmpegSeconds = ({ seconds }: Task): number =>
  seconds === null ? FFMPEG_LONGEST_SECONDS : Math.ceil(Math.min(FFMPEG_LONGEST_SECONDS * 7, FFMPEG_START_SECONDS + FFMPEG_PACE * seconds));
