import { readFileSync } from 'node:fs';
import { unprivileged } from './image-stage.js';

/** Flags that Docker gives a tmpfs besides those of the compose file. */
const DOCKER_FLAGS = 'rw,noexec,nosuid,nodev';
/** File systems of the kernel, which Docker mounts anew. */
const KERNELS = /^\/(proc|sys|dev)(\/|$)/;

/** As `sh -e`: $1 the folder of the image, $2 where it is mounted, $3 the folders of tmpfs and their options, $4 what becomes read-only. */
const ENTER = `mount --make-rprivate /
mount --bind "$1" "$2"
echo "$3" | while read -r folder options; do [ -z "$folder" ] || mount -t tmpfs -o "$options" tmpfs "$folder"; done
echo "$4" | while read -r folder; do mount -o remount,bind,ro "$folder" 2>/dev/null || true; done
mount -o remount,bind,ro "$2"
shift 4
exec "$@"`;

export interface ReadOnlyRoot {
  /** The folder of the image, and where it is seen. */
  readonly image: string;
  readonly mountedAt: string;
  /** As they stand in a compose file: `/tmp:size=4g,mode=1777`. */
  readonly tmpfs: readonly string[];
  /** Of the image. */
  readonly workdir: string;
}

/**
 * Puts a command into a mount namespace whose root is read-only but for folders of tmpfs, without capabilities and without a way to get more
 * rights: what a container of `read_only`, `tmpfs`, `cap_drop: [ALL]` and `no-new-privileges` sees.
 */
export function inReadOnlyRoot({ image, mountedAt, tmpfs, workdir }: ReadOnlyRoot, command: readonly string[]): readonly string[] {
  const folders = tmpfs.map((one) => {
    const [folder = '', options] = one.split(':');
    return `${folder} ${[DOCKER_FLAGS, options].filter(Boolean).join(',')}`;
  });
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  const closed = mounts.filter((folder) => folder !== '' && !KERNELS.test(folder));
  const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, ...unprivileged };
  return [
    ...['unshare', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']), '--mount', '--'],
    ...['sh', '-ec', ENTER, 'sh', image, mountedAt, folders.join('\n'), closed.join('\n')],
    ...['setpriv', ...(process.getuid?.() === 0 ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [])],
    ...['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--'],
    ...['sh', '-c', 'cd "$1"; shift; exec "$@"', 'sh', workdir, ...command],
  ];
}
