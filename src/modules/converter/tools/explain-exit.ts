import { constants } from 'node:os';
import type { ProgramName } from '../../formats/index.js';
import type { ToolFailureReason } from './run-request.js';

/** How a process ended: by itself with a code, or by a signal. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Why a program failed that nobody here ended, and the end of a sentence that begins with its name. */
export interface ExitCause {
  readonly reason: ToolFailureReason;
  readonly sentence: string;
}

const NAMES: ReadonlyMap<number, NodeJS.Signals> = new Map(
  // Of two names of a signal the first counts: SIGABRT, not SIGIOT.
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name as NodeJS.Signals]),
);
/** Of shells, and of whoever passes the end of another program on. */
const SIGNAL_CODES_BEGIN = 128;
/** What ffmpeg answers when a signal asked it to end; it catches them all, that of the processor's time too. */
const FFMPEG_WAS_ASKED = 255;
/** Ways to end somebody else's process. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

/**
 * Why a program ended without success. `mayBeSpent`: it ran long enough to have used up its time of the processor, so that a signal which
 * nobody can tell apart is taken for that.
 */
export function explainExit(exit: Exit, program: ProgramName | 'tool', mayBeSpent: boolean): ExitCause {
  const signal = signalOf(exit, program);
  if (signal === null) return { reason: 'exit', sentence: `ended with code ${exit.code}` };
  if (signal === 'SIGXFSZ') return { reason: 'size', sentence: 'wrote more than it may' };
  if (signal === 'SIGXCPU' || (mayBeSpent && FROM_OUTSIDE.has(signal))) {
    return { reason: 'time', sentence: 'took more time of the processor than it may' };
  }
  if (FROM_OUTSIDE.has(signal)) return { reason: 'killed', sentence: `was ended from outside (${signal})` };
  return { reason: 'exit', sentence: `crashed (${signal})` };
}

function signalOf({ code, signal }: Exit, program: ProgramName | 'tool'): NodeJS.Signals | null {
  if (code === null) return signal;
  // ImageMagick catches the signals of limits, tidies, and answers their numbers.
  if (program === 'convert' && (code === constants.signals.SIGXCPU || code === constants.signals.SIGXFSZ)) return NAMES.get(code) ?? null;
  if ((program === 'ffmpeg' || program === 'ffprobe') && code === FFMPEG_WAS_ASKED) return 'SIGTERM';
  return NAMES.get(code - SIGNAL_CODES_BEGIN) ?? null;
}
