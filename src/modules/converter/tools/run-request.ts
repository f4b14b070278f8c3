import type { Step } from '../../formats/index.js';

/** What a program may take. When it wants more it is ended, and so is everything that it started. */
export interface ToolLimits {
  /** Time by the clock. */
  readonly seconds: number;
  /** Of all its threads together. */
  readonly cpuSeconds: number;
  /** Of one file that it writes. */
  readonly fileBytes: number;
  /** Virtual memory. */
  readonly memoryBytes: number;
}

/** What isolates a program has to know of a run. */
export interface Enclosure {
  /** The program; absolute. */
  readonly file: string;
  /** The only one that it can write; absolute. */
  readonly folder: string;
  readonly limits: ToolLimits;
}

/** One run of a program, in a folder, with limits. */
export interface RunRequest {
  readonly step: Step;
  /** Absolute; the working directory, its home and the place of its temporary files. */
  readonly folder: string;
  readonly limits: ToolLimits;
  /** Ends the program. */
  readonly signal: AbortSignal;
  /** Hears each line of its standard output, when that is not written into a file. */
  readonly onLine?: (line: string) => void;
}

/**
 * Why a program did not do its work: it said so by its exit code, it took too long or too much, somebody ended it from outside (a lack of
 * memory on the machine, an operator), or it is not there.
 */
export type ToolFailureReason = 'exit' | 'time' | 'size' | 'killed' | 'missing';

/** A program did not do its work. `log` is what it said last, for the owner of the media; it names no path of the machine. */
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
