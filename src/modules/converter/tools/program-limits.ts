import type { ToolLimits } from './tool-run.js';

/** The parts that limit programs in addition to the sandbox; each may be missing on a machine. */
export interface LimitParts {
  /** Programs run at a lower priority than the processes that answer requests. */
  readonly nice?: boolean;
  /** If memory runs out, the system kills programs before a database or the worker. */
  readonly expendable?: boolean;
  readonly limits?: boolean;
}

/** The isolation of programs that run without a sandbox. */
export interface BareParts {
  /** The program is killed together with its worker. */
  readonly death?: boolean;
  /** The program gains no rights from setuid programs. */
  readonly privileges?: boolean;
  /** The program has no capabilities, even if root runs it. */
  readonly capabilities?: boolean;
}

/** Stops fork bombs. All processes of the user count, so the limit must be far above what a machine runs anyway. */
const MAX_PROCESSES = 4_096;
const MAX_OPEN_FILES = 1_024;
const DEFAULT_NICENESS = 10;
/**
 * The system's limit of processor time, which is that of a single process, is beyond the limit of the whole program: CpuMeter ends the program earlier and
 * knows the reason, whereas LibreOffice answers the signal of the system like a crash. The factor is there because on virtual machines the system counts
 * up to an eighth more for its limit than /proc shows.
 */
const BEYOND_METER = { factor: 1.25, seconds: 5 };
/** How long a program may clean up after the signal of its CPU time limit. */
const CLEANUP_SECONDS = 5;

/** The command that precedes a program and its sandbox. Each part replaces itself by the next one (exec). */
export function limitingCommand(parts: LimitParts, limits: ToolLimits): readonly string[] {
  return [
    ...(parts.nice ? ['nice', '-n', String(limits.niceness ?? DEFAULT_NICENESS)] : []),
    ...(parts.expendable ? ['choom', '-n', '1000', '--'] : []),
    ...(parts.limits ? ['prlimit', ...limitOptions(limits), '--'] : []),
  ];
}

/** The command that precedes a program that runs without a sandbox. */
export function bareCommand({ death, privileges, capabilities }: BareParts): readonly string[] {
  const options = [
    ...(death ? ['--pdeathsig', 'KILL'] : []),
    ...(privileges ? ['--no-new-privs'] : []),
    ...(privileges && capabilities ? ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'] : []),
  ];
  return options.length === 0 ? [] : ['setpriv', ...options, '--'];
}

function limitOptions({ cpuSeconds, fileBytes, memoryBytes }: ToolLimits): readonly string[] {
  const cpu = Math.ceil(cpuSeconds * BEYOND_METER.factor) + BEYOND_METER.seconds;
  return [
    `--as=${Math.trunc(memoryBytes)}`,
    `--cpu=${cpu}:${cpu + CLEANUP_SECONDS}`,
    `--fsize=${Math.trunc(fileBytes)}`,
    `--nproc=${MAX_PROCESSES}`,
    `--nofile=${MAX_OPEN_FILES}`,
    '--core=0',
  ];
}
