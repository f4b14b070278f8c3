import { constants } from 'node:os';
import type { ProgramName, Step } from '../../formats/index.js';
import type { WorkBudget } from './work-limits.service.js';

/** The resources that a program may use. If it exceeds one, it is killed with everything that it started. */
export interface ToolLimits {
  /** Wall-clock time, in seconds. */
  readonly seconds: number;
  /** Processor time of all its threads together, in seconds. */
  readonly cpuSeconds: number;
  /** The largest size of each file that it writes. */
  readonly fileBytes: number;
  /** Virtual memory, in bytes. */
  readonly memoryBytes: number;
  /** How far its priority is below that of the processes that answer requests, up to 19; absent: 10. */
  readonly niceness?: number;
}

/** What the isolation needs to know about a run. */
export interface Enclosure {
  /** The absolute path of the program. */
  readonly file: string;
  /** The absolute path of the only folder in which it can write. */
  readonly folder: string;
  readonly limits: ToolLimits;
  /** Further files and folders that it can read. */
  readonly reads?: readonly string[];
}

/** One run of a program, in a folder, with limits. */
export interface RunRequest {
  readonly step: Step;
  /** The absolute path of the working directory, which is also the home and the place of temporary files. */
  readonly folder: string;
  readonly limits: ToolLimits;
  /** What the transcoding has left; absent: the program has only its own limits. */
  readonly budget?: WorkBudget | undefined;
  /** Ends the program when it is aborted. */
  readonly signal: AbortSignal;
  /** Receives each line of its standard output, unless that is written into a file. */
  readonly onLine?: (line: string) => void;
}

/**
 * Why a program failed: its exit code says so, it exceeded a limit, it was killed from outside (the machine ran out of memory, an operator),
 * or it is not installed.
 */
export type ToolFailureReason = 'exit' | 'time' | 'size' | 'killed' | 'missing';

/** A program failed. `log` is the end of its output, for the owner of the media; it contains no path of the machine. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';

  constructor(
    readonly reason: ToolFailureReason,
    message: string,
    readonly log: string,
  ) {
    super(message);
  }
}

/** How a process ended: with an exit code, or by a signal. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Why a program that this process did not kill failed; `sentence` follows the program's name, without the last point. */
interface ExitCause {
  readonly reason: ToolFailureReason;
  readonly sentence: string;
}

const NAMES: ReadonlyMap<number, NodeJS.Signals> = new Map(
  // If a signal has two names, the first one wins: SIGABRT, not SIGIOT.
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name as NodeJS.Signals]),
);
/** Shells add the number of the signal that ended a program to this exit code. */
const SIGNAL_CODE_OFFSET = 128;
/** The exit code of ffmpeg after any signal that it catches, including that of the CPU time limit. */
const FFMPEG_SIGNALLED = 255;
/** Signals that other processes send to end a process. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

const FILM_AGAIN = 'Save the file as an MP4 or WAV with a program that plays it, and upload that';
const PICTURE_AGAIN = 'Save the picture as a JPEG or PNG with a program that shows it, and upload that';
const DOCUMENT_AGAIN = 'Save the document as a PDF with a program that shows it, and upload that';
/** What programs did not do, which is all that an exit code says, and what the owner of a file can do; the texts follow their names. */
const FAILURES: Readonly<Record<ProgramName | 'tool', string>> = {
  ffmpeg: `could not convert the file. ${FILM_AGAIN}`,
  ffprobe: `could not read the file. ${FILM_AGAIN}`,
  sharp: `could not convert the picture. ${PICTURE_AGAIN}`,
  convert: `could not convert the picture. ${PICTURE_AGAIN}`,
  'heif-convert': `could not read the picture. ${PICTURE_AGAIN}`,
  soffice: `could not convert the document. ${DOCUMENT_AGAIN}`,
  pdfinfo: `could not read the document. ${DOCUMENT_AGAIN}`,
  pdftoppm: `could not draw the page. ${DOCUMENT_AGAIN}`,
  exiftool: 'could not write the metadata. Change what the format asks for',
  tool: 'could not convert the file. The operator of the service can read why in its output',
};

/** What a program did not do; it follows its name. */
export const failureOf = ({ program }: Pick<Step, 'program'>): string => FAILURES[typeof program === 'string' ? program : 'tool'];

/** The sentence about the limit of processor time; it follows the name of the program. */
export const TOO_MUCH_CPU = 'used more processor time than its limit';

/**
 * Why a program ended without success. `mayBeSpent`: it ran long enough to have used up its CPU time, so that an ambiguous signal is
 * attributed to that limit.
 */
export function explainExit(exit: Exit, program: ProgramName | 'tool', mayBeSpent: boolean): ExitCause {
  const signal = signalOf(exit, program);
  if (signal === null) return { reason: 'exit', sentence: FAILURES[program] };
  if (signal === 'SIGXFSZ') return { reason: 'size', sentence: 'wrote more than its limit' };
  // LibreOffice answers the signal of the limit by aborting itself.
  if (signal === 'SIGABRT' && program === 'soffice' && mayBeSpent) return { reason: 'time', sentence: TOO_MUCH_CPU };
  if (signal === 'SIGXCPU' || (mayBeSpent && FROM_OUTSIDE.has(signal))) {
    return { reason: 'time', sentence: TOO_MUCH_CPU };
  }
  if (FROM_OUTSIDE.has(signal)) return { reason: 'killed', sentence: `was ended by another process (${signal})` };
  return { reason: 'exit', sentence: FAILURES[program] };
}

function signalOf({ code, signal }: Exit, program: ProgramName | 'tool'): NodeJS.Signals | null {
  if (code === null) return signal;
  // ImageMagick catches the signals of limits, cleans up, and exits with their numbers.
  if (program === 'convert' && (code === constants.signals.SIGXCPU || code === constants.signals.SIGXFSZ)) return NAMES.get(code) ?? null;
  if ((program === 'ffmpeg' || program === 'ffprobe') && code === FFMPEG_SIGNALLED) return 'SIGTERM';
  return NAMES.get(code - SIGNAL_CODE_OFFSET) ?? null;
}
