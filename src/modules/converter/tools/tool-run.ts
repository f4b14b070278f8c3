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

/** Why a program that this process did not kill failed; `sentence` follows the program's name. */
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

/** The sentence about the limit of processor time; it follows the name of the program. */
export const TOO_MUCH_CPU = 'used more processor time than its limit';

/**
 * Why a program ended without success. `mayBeSpent`: it ran long enough to have used up its CPU time, so that an ambiguous signal is
 * attributed to that limit.
 */
export function explainExit(exit: Exit, program: ProgramName | 'tool', mayBeSpent: boolean): ExitCause {
  const signal = signalOf(exit, program);
  if (signal === null) return { reason: 'exit', sentence: `ended with code ${exit.code}` };
  if (signal === 'SIGXFSZ') return { reason: 'size', sentence: 'wrote more than its limit' };
  // LibreOffice answers the signal of the limit by aborting itself.
  if (signal === 'SIGABRT' && program === 'soffice' && mayBeSpent) return { reason: 'time', sentence: TOO_MUCH_CPU };
  if (signal === 'SIGXCPU' || (mayBeSpent && FROM_OUTSIDE.has(signal))) {
    return { reason: 'time', sentence: TOO_MUCH_CPU };
  }
  if (FROM_OUTSIDE.has(signal)) return { reason: 'killed', sentence: `was ended by another process (${signal})` };
  return { reason: 'exit', sentence: `crashed (${signal})` };
}

function signalOf({ code, signal }: Exit, program: ProgramName | 'tool'): NodeJS.Signals | null {
  if (code === null) return signal;
  // ImageMagick catches the signals of limits, cleans up, and exits with their numbers.
  if (program === 'convert' && (code === constants.signals.SIGXCPU || code === constants.signals.SIGXFSZ)) return NAMES.get(code) ?? null;
  if ((program === 'ffmpeg' || program === 'ffprobe') && code === FFMPEG_SIGNALLED) return 'SIGTERM';
  return NAMES.get(code - SIGNAL_CODE_OFFSET) ?? null;
}
