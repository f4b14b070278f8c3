import { Injectable } from '@nestjs/common';

/** What all programs of a transcoding together may use. */
export interface WorkLimits {
  /** Processor time, in seconds. */
  readonly cpuSeconds: number;
  /** Wall-clock time, in seconds. */
  readonly seconds: number;
  /** The niceness at which they run. */
  readonly niceness: number;
}

/** What is known about a transcoding before it is made. */
export interface ExpectedWork {
  readonly isLong: boolean;
  /** Bytes of the original. */
  readonly fileSize: number;
  /** Seconds of the result; Infinity: unknown. */
  readonly seconds: number;
  /** Pixels of the original's picture; null: unknown. */
  readonly pixels: number | null;
}

/** Programs get a fifth of a core even while all places of a machine with two cores are taken and it answers requests. */
const WALL_PER_CPU = 5;
/** The limit for media of unknown length, such as films that a browser records: that of a film of 71 minutes. */
const UNKNOWN_LENGTH_CPU_SECONDS = 86_400;
/** Below the processes that answer requests (0). The scheduler gives a process at 10 three times the time of one at 15. */
const NICENESS = { short: 10, long: 15 } as const;

/** A disk or network drive that several transcodings read at once. */
const BYTES_PER_SECOND = 20_000_000;
/** Two old cores encode a film in Full HD as fast as it plays. */
const FULL_HD_PIXELS = 1920 * 1080;
/** Small pictures do not make a film arbitrarily cheap: it is read, decoded and written frame by frame. */
const MIN_SHARE = 0.1;

/**
 * The limits of short work (pictures, documents, sound) and long work (films, tools of the operator), contract section 13.1. Tests lower them; users
 * see no setting.
 */
@Injectable()
export class WorkLimitsService {
  /** Processor time of short work, in seconds. */
  shortCpuSeconds = 120;
  /** Processor time of long work: this many seconds, and this many times the length of the medium. */
  longCpuSeconds = 600;
  longCpuPerSecond = 20;
  /** The last place of each kind is given only to work that is expected to end within this many seconds, so that others wait at most as long. */
  lastPlaceSeconds = 600;

  forShortWork(): WorkLimits {
    return { cpuSeconds: this.shortCpuSeconds, seconds: WALL_PER_CPU * this.shortCpuSeconds, niceness: NICENESS.short };
  }

  /** `mediaSeconds`: the measured length of the original; null: unknown. */
  forLongWork(mediaSeconds: number | null): WorkLimits {
    const cpuSeconds =
      mediaSeconds === null ? UNKNOWN_LENGTH_CPU_SECONDS : Math.ceil(this.longCpuSeconds + this.longCpuPerSecond * mediaSeconds);
    return { cpuSeconds, seconds: WALL_PER_CPU * cpuSeconds, niceness: NICENESS.long };
  }

  /** Seconds that a transcoding is expected to take, with the transfer of its original; Infinity: unknown. */
  expectedSeconds({ isLong, fileSize, seconds, pixels }: ExpectedWork): number {
    const work = isLong ? seconds * Math.max(MIN_SHARE, (pixels ?? FULL_HD_PIXELS) / FULL_HD_PIXELS) : this.shortCpuSeconds;
    return fileSize / BYTES_PER_SECOND + work;
  }
}

/** What the programs of one transcoding have left of their limits. */
export class WorkBudget {
  private readonly startedAt = performance.now();
  private usedCpuSeconds = 0;

  constructor(readonly limits: WorkLimits) {}

  get cpuSeconds(): number {
    return Math.max(0, this.limits.cpuSeconds - this.usedCpuSeconds);
  }

  get seconds(): number {
    return Math.max(0, this.limits.seconds - (performance.now() - this.startedAt) / 1_000);
  }

  get isSpent(): boolean {
    return this.cpuSeconds === 0 || this.seconds === 0;
  }

  /** Counts the processor time of a program, in seconds. */
  spend(cpuSeconds: number): void {
    this.usedCpuSeconds += cpuSeconds;
  }
}
