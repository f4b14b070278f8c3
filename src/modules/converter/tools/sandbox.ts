import { lstat, readlink } from 'node:fs/promises';
import path from 'node:path';
import { PRESENCE_FD } from './run-process.js';

/**
 * The user and group that programs run as. Debian keeps the numbers 65000 to 65533 free, and systemd's dynamic users end at 65519, so no file
 * and no process of a machine belongs to this one.
 */
export const SANDBOX_ID = 65_533;

/** How a sandbox is created. Root switches to the other user; a regular user is mapped to its id in a user namespace. */
export interface SandboxKind {
  readonly by: 'root' | 'user';
  /** Programs cannot make user namespaces of their own (needs bubblewrap 0.8; root uses no user namespace in which to forbid it). */
  readonly last: boolean;
}

/** The kinds of sandboxes, in order of preference. */
export const sandboxKinds = (isRoot: boolean): readonly SandboxKind[] =>
  isRoot
    ? [{ by: 'root', last: false }]
    : [
        { by: 'user', last: true },
        { by: 'user', last: false },
      ];

/** Programs, their libraries and data, and fonts. Not all of /usr, because services are installed in its other folders. */
const FOLDERS = [
  ...['bin', 'lib', 'lib32', 'lib64', 'libx32', 'libexec', 'share'].map((name) => `/usr/${name}`),
  ...['bin', 'lib', 'lib32', 'lib64', 'share'].map((name) => `/usr/local/${name}`),
  // Other package managers keep only packages there.
  ...['/nix/store', '/gnu/store', '/home/linuxbrew/.linuxbrew'],
];
/** Links into /usr, or folders on older systems. */
const OLD_FOLDERS = ['/bin', '/lib', '/lib32', '/lib64', '/libx32'];
/** Settings that programs read; those of accounts, networks and services are not included. */
const SETTINGS = [
  ...['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/alternatives', '/etc/localtime', '/etc/mime.types'],
  ...['/etc/fonts', '/var/cache/fontconfig', '/etc/papersize', '/etc/ImageMagick-6', '/etc/ImageMagick-7', '/etc/libreoffice'],
];
/** Programs below /opt have their libraries beside them. */
const PACKAGES = '/opt';

/** The size of /tmp, where LibreOffice puts its sockets; programs write their results into their own folder. */
const TMP_BYTES = 16_777_216;
/** The size of /dev/shm, for tools of the operator that share memory between processes. */
const SHM_BYTES = 67_108_864;

/** Capabilities that root needs to enter the folder and to become the other user in the sandbox; that change removes them. */
const NEEDED_TO_CHANGE = ['SETUID', 'SETGID', 'SETPCAP', 'DAC_READ_SEARCH'];

/** The files of this machine that all programs see. */
export interface SystemFiles {
  readonly folders: readonly string[];
  readonly links: readonly { readonly target: string; readonly link: string }[];
}

/** What one program sees in addition; all paths are absolute. */
export interface SandboxView {
  /** The only folder that it can write, and its working directory. */
  readonly folder: string;
  /** Files and folders that it can read: the program itself, and those that the operator names. */
  readonly readable: readonly string[];
  /** Folders that stay hidden even if they are below a visible folder of the system: those of the service. */
  readonly hidden: readonly string[];
}

/** Finds the files of this machine that sandboxes show. */
export async function readSystemFiles(): Promise<SystemFiles> {
  const found = await Promise.all([...FOLDERS, ...SETTINGS, ...OLD_FOLDERS].map(async (file) => ({ file, stats: await statsOf(file) })));
  const links = found.filter(({ file, stats }) => OLD_FOLDERS.includes(file) && stats?.isSymbolicLink());
  const isLink = new Set(links.map(({ file }) => file));
  return {
    folders: found.filter(({ file, stats }) => stats !== null && !isLink.has(file)).map(({ file }) => file),
    links: await Promise.all(links.map(async ({ file }) => ({ target: await readlink(file), link: file }))),
  };
}

const statsOf = async (file: string) => await lstat(file).catch(() => null);

/** The command that precedes a program and its arguments. */
export function sandboxCommand(
  kind: SandboxKind,
  bubblewrap: string,
  { folders, links }: SystemFiles,
  view: SandboxView,
): readonly string[] {
  const system = [...folders, ...links.map(({ link }) => link)];
  const readable = [...new Set(view.readable.map(packageOf))].filter((file) => !system.includes(file));
  const hidden = view.hidden.filter((folder) => isWithin(folder, [...system, ...readable]));
  const [covered, more] = [
    readable.filter((file) => isWithin(file, hidden)),
    readable.filter((file) => !isWithin(file, [...system, ...hidden])),
  ];
  return [
    bubblewrap,
    ...namespaces(kind),
    ...['--info-fd', String(PRESENCE_FD), '--hostname', 'converter', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...(kind.by === 'root' ? NEEDED_TO_CHANGE.flatMap((name) => ['--cap-add', `CAP_${name}`]) : []),
    ...memory('/tmp', TMP_BYTES),
    ...parents([...system, ...more, view.folder], (parent) => !isWithin(parent, folders)),
    ...[...folders, ...more].flatMap((file) => ['--ro-bind', file, file]),
    ...links.flatMap(({ target, link }) => ['--symlink', target, link]),
    ...['--proc', '/proc', '--dev', '/dev', ...memory('/dev/shm', SHM_BYTES)],
    ...hidden.flatMap((folder) => ['--perms', '0755', '--tmpfs', folder]),
    ...parents([...covered, view.folder], (parent) => isWithin(parent, hidden)),
    ...covered.flatMap((file) => ['--ro-bind', file, file]),
    ...['--bind', view.folder, view.folder, '--chdir', view.folder],
    ...['/', '/dev', ...hidden].flatMap((folder) => ['--remount-ro', folder]),
    '--',
    ...(kind.by === 'root' ? anotherUser() : []),
  ];
}

const memory = (folder: string, bytes: number): readonly string[] => ['--size', String(bytes), '--perms', '1777', '--tmpfs', folder];

function namespaces({ by, last }: SandboxKind): readonly string[] {
  const user = ['--unshare-user', ...(last ? ['--disable-userns'] : []), '--uid', String(SANDBOX_ID), '--gid', String(SANDBOX_ID)];
  const others = ['--unshare-net', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
  return [...(by === 'user' ? user : []), ...others];
}

/** Changes the user by the machine's own user ids, so that files and signals belong to another user outside the sandbox as well. */
const anotherUser = (): readonly string[] => [
  ...['setpriv', `--reuid=${SANDBOX_ID}`, `--regid=${SANDBOX_ID}`, '--clear-groups', '--no-new-privs'],
  ...['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--'],
];

function packageOf(file: string): string {
  const [name] = isBelow(file, PACKAGES) ? file.slice(PACKAGES.length + 1).split(path.sep) : [];
  return name ? path.join(PACKAGES, name) : file;
}

const isWithin = (file: string, folders: readonly string[]): boolean => folders.some((folder) => isBelow(file, folder));

const isBelow = (file: string, folder: string): boolean => file.startsWith(`${folder}${path.sep}`);

/** Creates the parents of these files that the sandbox does not have yet. bubblewrap would make them accessible to their owner only. */
function parents(files: readonly string[], isMade: (parent: string) => boolean): readonly string[] {
  const made = new Set(files.flatMap(ancestors).filter(isMade));
  return [...made].sort().flatMap((parent) => ['--perms', '0755', '--dir', parent]);
}

/** The parent folders of a file, without the root. */
function ancestors(file: string): string[] {
  const parent = path.dirname(file);
  return parent === path.dirname(parent) ? [] : [...ancestors(parent), parent];
}
