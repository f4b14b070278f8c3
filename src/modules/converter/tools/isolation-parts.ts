import type { ToolLimits } from './run-request.js';

/** What can hold a program in; each may be missing on a machine. */
export interface IsolationParts {
  /** Requests go before renditions. */
  readonly nice?: boolean;
  /** Of all processes of the machine the system ends it first when the memory runs out, not a database or the worker. */
  readonly expendable?: boolean;
  readonly limits?: boolean;
  /** A user namespace, in which an ordinary user may make the others. */
  readonly user?: boolean;
  /** The program ends when its worker is killed. */
  readonly death?: boolean;
  readonly network?: boolean;
  readonly processes?: boolean;
  /** It sees no process but its own, nor their environment. */
  readonly hidden?: boolean;
  /** It sees nothing of the folders that hold the files of others. */
  readonly files?: boolean;
  /** The first process of a namespace gets no signals of limits; so that is not the program. */
  readonly init?: boolean;
  /** No setuid program gives it more rights. */
  readonly privileges?: boolean;
  /** It has no capabilities, even when root runs it. */
  readonly capabilities?: boolean;
}

/** What a program sees of the files of the machine; all absolute. */
export interface FileView {
  /** Its own folder: that stays, also where it lies in one that is hidden. */
  readonly own: string;
  /** They are empty for it. */
  readonly hidden: readonly string[];
}

/**
 * Lays empty folders over those that are hidden, and its own in its place again, which is still the working directory. The script is the same
 * for all programs; what differs are its arguments.
 */
const HIDE = `set -e
own=$1
shift
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mount -t tmpfs -o size=64k,mode=0755 none "$1"; fi
  shift
done
shift
mkdir -p "$own"
mount --no-canonicalize --bind . "$own"
cd "$own"
unset OLDPWD
exec "$@"`;

/** Against programs that multiply. Counted with all processes of the user, so it must not be near to what a machine has anyway. */
const PROCESSES = 4_096;
const OPEN_FILES = 1_024;
/** A program that catches the signal of its time gets so long to tidy. */
const TIDY_SECONDS = 5;

/** What stands before a program and its arguments, the outermost first. Each replaces itself by the next, but those that fork. */
export function wrapperOf(parts: IsolationParts, limits: ToolLimits, view: FileView): readonly string[] {
  return [
    ...(parts.nice ? ['nice', '-n', '10'] : []),
    ...(parts.expendable ? ['choom', '-n', '1000', '--'] : []),
    ...(parts.limits ? ['prlimit', ...limitOptions(limits), '--'] : []),
    // First of the namespaces: with the new user the wish to end with the worker is forgotten.
    ...(parts.user ? ['unshare', '--user', parts.files ? '--map-root-user' : '--map-current-user', '--keep-caps', '--'] : []),
    ...(parts.death ? ['setpriv', '--pdeathsig', 'KILL', '--'] : []),
    ...namespaces(parts),
    ...(parts.files && view.hidden.length > 0 ? ['sh', '-c', HIDE, 'sh', view.own, ...view.hidden, '--'] : []),
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

function namespaces({ network, processes, hidden, files }: IsolationParts): readonly string[] {
  const options = [
    ...(network ? ['--net'] : []),
    ...(processes ? ['--pid', '--fork', '--kill-child=KILL'] : []),
    ...(processes && hidden ? ['--mount-proc'] : []),
    ...(files ? ['--mount'] : []),
  ];
  return options.length === 0 ? [] : ['unshare', ...options, '--'];
}

function privileges({ privileges: fixed, capabilities }: IsolationParts): readonly string[] {
  if (!fixed) return [];
  return ['setpriv', '--no-new-privs', ...(capabilities ? ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'] : []), '--'];
}
