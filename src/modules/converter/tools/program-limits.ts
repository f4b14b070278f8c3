import type { ToolLimits } from './run-request.js';

/** What limits programs on a machine besides the sandbox; each may be missing. */
export interface LimitParts {
  /** Requests go before renditions. */
  readonly nice?: boolean;
  /** When the memory runs out, the system ends programs first, before a database or the worker. */
  readonly expendable?: boolean;
  readonly limits?: boolean;
}

/** What is left of the isolation where programs run without a sandbox. */
export interface BareParts {
  /** The program ends when its worker is killed. */
  readonly death?: boolean;
  /** No setuid program gives it more rights. */
  readonly privileges?: boolean;
  /** It has no capabilities, even when root runs it. */
  readonly capabilities?: boolean;
}

/** Against programs that multiply. Counted with all processes of the user, so it must not be near to what a machine has anyway. */
const PROCESSES = 4_096;
const OPEN_FILES = 1_024;
/** A program that catches the signal of its time gets so long to tidy. */
const TIDY_SECONDS = 5;

/** What precedes a program and its sandbox. Each command replaces itself by the next one. */
export function limitingCommand(parts: LimitParts, limits: ToolLimits): readonly string[] {
  return [
    ...(parts.nice ? ['nice', '-n', '10'] : []),
    ...(parts.expendable ? ['choom', '-n', '1000', '--'] : []),
    ...(parts.limits ? ['prlimit', ...limitOptions(limits), '--'] : []),
  ];
}

/** What precedes a program that runs without a sandbox. */
export function bareCommand({ death, privileges, capabilities }: BareParts): readonly string[] {
  const options = [
    ...(death ? ['--pdeathsig', 'KILL'] : []),
    ...(privileges ? ['--no-new-privs'] : []),
    ...(privileges && capabilities ? ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'] : []),
  ];
  return options.length === 0 ? [] : ['setpriv', ...options, '--'];
}

function limitOptions({ cpuSeconds, fileBytes, memoryBytes }: ToolLimits): readonly string[] {
  const cpu = Math.ceil(cpuSeconds);
  return [
    `--as=${Math.trunc(memoryBytes)}`,
    `--cpu=${cpu}:${cpu + TIDY_SECONDS}`,
    `--fsize=${Math.trunc(fileBytes)}`,
    `--nproc=${PROCESSES}`,
    `--nofile=${OPEN_FILES}`,
    '--core=0',
  ];
}
