import { describe, expect, it } from '@jest/globals';
import { sandboxCommand, sandboxKinds } from './sandbox.js';

const SYSTEM = { folders: ['/usr/bin', '/usr/share', '/opt/suite'], links: [{ target: 'usr/bin', link: '/bin' }] };
const VIEW = { folder: '/tmp/jobs/one', readable: ['/usr/bin/ffmpeg'], hidden: [] };
const command = (view = {}, by: 'root' | 'user' = 'user') =>
  sandboxCommand({ by, last: false }, '/usr/bin/bwrap', SYSTEM, { ...VIEW, ...view }).join(' ');

describe('the sandbox of a program', () => {
  it('is created by an ordinary user in a user namespace, if possible without further namespaces', () => {
    expect(sandboxKinds(false)).toEqual([
      { by: 'user', last: true },
      { by: 'user', last: false },
    ]);
    expect(sandboxCommand({ by: 'user', last: true }, 'bwrap', SYSTEM, VIEW).slice(0, 7)).toEqual(
      'bwrap --unshare-user --disable-userns --uid 65533 --gid 65533'.split(' '),
    );
    expect(command()).not.toMatch(/setpriv|--cap-add/);
  });

  it('is created by root without a user namespace, and the program runs as another user of the machine', () => {
    expect(sandboxKinds(true)).toEqual([{ by: 'root', last: false }]);
    expect(command({}, 'root')).not.toContain('--unshare-user');
    expect(command({}, 'root')).toMatch(
      / -- setpriv --reuid=65533 --regid=65533 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all --$/,
    );
  });

  it('lets the program read the files of the system and write its folder', () => {
    expect(command()).toContain('--ro-bind /usr/bin /usr/bin --ro-bind /usr/share /usr/share');
    expect(command()).toContain('--symlink usr/bin /bin');
    expect(command({ readable: ['/bin/ffmpeg', '/usr/bin/ffmpeg'] })).toBe(command());
    expect(command()).toContain('--bind /tmp/jobs/one /tmp/jobs/one --chdir /tmp/jobs/one --remount-ro / --remount-ro /dev --');
    expect(command().match(/ --bind /g)).toHaveLength(1);
  });

  it('contains only the file of a program elsewhere, and the folder of a program in /opt', () => {
    expect(
      command({ readable: ['/srv/tools/run', '/srv/tools/run'] }).match(/--ro-bind \/srv\/tools\/run \/srv\/tools\/run/g),
    ).toHaveLength(1);
    expect(command({ readable: ['/opt/office/program/soffice'] })).toContain('--ro-bind /opt/office /opt/office');
  });

  it('hides the folders of the service even below folders of the system, except its program', () => {
    const found = command({ readable: ['/usr/share/service/data/bin/tool'], hidden: ['/usr/share/service', '/data'] });
    const own = '/usr/share/service';
    expect(found).toContain(
      `--perms 0755 --tmpfs ${own} --perms 0755 --dir ${own}/data --perms 0755 --dir ${own}/data/bin --ro-bind ${own}/data/bin/tool`,
    );
    expect(found).toContain(`--remount-ro / --remount-ro /dev --remount-ro ${own} --`);
    expect(found).not.toContain(' /data');
  });
});
