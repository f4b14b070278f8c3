import type { ToolLimits } from './run-request.js';

/** What can hold a program in; each may be missing on a machine. */
export interface IsolationParts {
  /** Requests go before renditions. */
  readonly nice?: boolean;
  readonly limits?: boolean;
  /** A user namespace, in which an ordinary user may make the others. */
  readonly user?: boolean;
  /** The program ends when its worker is killed. */
  readonly death?: boolean;
  readonly network?: boolean;
  readonly processes?: boolean;
  /** It sees no process but its own, nor their environment. */
  readonly hidden?: boolean;
  /** The first process of a namespace gets no signals of limits; so that is not the program. */
  readonly init?: boolean;
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

/** What stands before a program and its arguments, the outermost first. Each replaces itself by the next, but those that fork. */
export function wrapperOf(parts: IsolationParts, limits: ToolLimits): readonly string[] {
  return [
    ...(parts.nice ? ['nice', '-n', '10'] : []),
    ...(parts.limits ? ['prlimit', ...limitOptions(limits), '--'] : []),
    // First of the namespaces: with the new user the wish to end with the worker is forgotten.
    ...(parts.user ? ['unshare', '--user', '--map-current-user', '--keep-caps', '--'] : []),
    ...(parts.death ? ['setpriv', '--pdeathsig', 'KILL', '--'] : []),
    ...namespaces(parts),
    ...(parts.init ? ['timeout', '--foreground', '0'] : []),
    ...privileges(parts),
  ];
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

function namespaces({ network, processes, hidden }: IsolationParts): readonly string[] {
  const options = [
    ...(network ? ['--net'] : []),
    ...(processes ? ['--pid', '--fork', '--kill-child=KILL'] : []),
    ...(processes && hidden ? ['--mount-proc'] : []),
  ];
  return options.length === 0 ? [] : ['unshare', ...options, '--'];
}

function privileges({ privileges: fixed, capabilities }: IsolationParts): readonly string[] {
  if (!fixed) return [];
  return ['setpriv', '--no-new-privs', ...(capabilities ? ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'] : []), '--'];
}
