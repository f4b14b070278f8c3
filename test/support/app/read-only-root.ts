import { readFileSync } from 'node:fs';
import path from 'node:path';
import { unprivileged } from '../media/image-stage.js';
import { REPOSITORY } from './program.js';

const WITH_SECCOMP = path.join(REPOSITORY, 'test/programs/with-seccomp.py');
/** Flags that Docker gives a tmpfs besides those of the compose file. */
const DOCKER_FLAGS = 'rw,noexec,nosuid,nodev';
/** File systems of the kernel, which Docker mounts anew. */
const KERNELS = /^\/(proc|sys|dev)(\/|$)/;

/** Of what Docker hides or write-protects: without `systempaths=unconfined` programs cannot mount a /proc of their own. */
const MASK = `for folder in /proc/acpi /proc/scsi; do [ ! -d $folder ] || mount -t tmpfs -o ro tmpfs $folder; done
for folder in /proc/bus /proc/fs /proc/irq /proc/sys; do mount --bind $folder $folder; mount -o remount,bind,ro $folder; done`;

/** As `sh -e`: $1 the folder of the image, $2 where it is mounted, $3 the folders of tmpfs and their options, $4 what becomes read-only, $5 MASK. */
const ENTER = `mount --make-rprivate /
mount --bind "$1" "$2"
echo "$3" | while read -r folder options; do [ -z "$folder" ] || mount -t tmpfs -o "$options" tmpfs "$folder"; done
echo "$4" | while read -r folder; do mount -o remount,bind,ro "$folder" 2>/dev/null || true; done
mount -o remount,bind,ro "$2"
eval "$5"
shift 5
exec "$@"`;

export interface ReadOnlyRoot {
  /** The folder of the image, and where it is seen. */
  readonly image: string;
  readonly mountedAt: string;
  /** As they stand in a compose file: `/tmp:size=4g,mode=1777`. */
  readonly tmpfs: readonly string[];
  /** As they stand in a compose file; of seccomp the absolute path. AppArmor is not done here. */
  readonly securityOptions: readonly string[];
  /** Of the image. */
  readonly workdir: string;
}

/**
 * Puts a command into a mount namespace whose root is read-only but for folders of tmpfs, without capabilities and without a way to get more
 * rights: what a container of `read_only`, `tmpfs`, `cap_drop: [ALL]` and `security_opt` sees.
 */
export function inReadOnlyRoot(
  { image, mountedAt, tmpfs, securityOptions, workdir }: ReadOnlyRoot,
  command: readonly string[],
): readonly string[] {
  const folders = tmpfs.map((one) => {
    const [folder = '', options] = one.split(':');
    return `${folder} ${[DOCKER_FLAGS, options].filter(Boolean).join(',')}`;
  });
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  const closed = mounts.filter((folder) => folder !== '' && !KERNELS.test(folder));
  const profile = securityOptions.find((option) => option.startsWith('seccomp='))?.slice('seccomp='.length);
  const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, ...unprivileged };
  return [
    ...['unshare', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']), '--mount', '--'],
    ...['sh', '-ec', ENTER, 'sh', image, mountedAt, folders.join('\n'), closed.join('\n')],
    securityOptions.includes('systempaths=unconfined') ? '' : MASK,
    ...['setpriv', ...(process.getuid?.() === 0 ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [])],
    ...['--bounding-set=-all', '--inh-caps=-all', ...(securityOptions.includes('no-new-privileges:true') ? ['--no-new-privs'] : []), '--'],
    ...(profile === undefined ? [] : ['/usr/bin/python3', '-c', readFileSync(WITH_SECCOMP, 'utf8'), readFileSync(profile, 'utf8')]), // the repository may be below /tmp
    ...['sh', '-c', 'cd "$1"; shift; exec "$@"', 'sh', workdir, ...command],
  ];
}
