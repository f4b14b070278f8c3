import { describe, expect, it } from '@jest/globals';
import { wrapperOf } from './isolation-parts.js';

const LIMITS = { seconds: 60, cpuSeconds: 30.2, fileBytes: 1_000_000.7, memoryBytes: 2_000_000_000 };
const VIEW = { own: '/work/a', hidden: ['/data', '/work'] };

describe('what holds a program in', () => {
  it('is nothing where nothing works', () => {
    expect(wrapperOf({}, LIMITS, VIEW)).toEqual([]);
  });

  it('is all of it in an order that works for an ordinary user', () => {
    const all = { nice: true, expendable: true, limits: true, death: true, user: true, network: true, processes: true };
    expect(wrapperOf({ ...all, hidden: true, init: true, privileges: true, capabilities: true }, LIMITS, VIEW).join(' ')).toBe(
      [
        'nice -n 10',
        'choom -n 1000 --',
        'prlimit --as=2000000000 --cpu=31:36 --fsize=1000000 --nproc=4096 --nofile=1024 --core=0 --',
        'unshare --user --map-current-user --keep-caps --',
        'setpriv --pdeathsig KILL --',
        'unshare --net --pid --fork --kill-child=KILL --mount-proc --',
        'timeout --foreground 0',
        'setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all --',
      ].join(' '),
    );
  });

  it('hides folders behind the namespaces, as the root of its own', () => {
    const wrapper = wrapperOf({ user: true, network: true, files: true, privileges: true }, LIMITS, VIEW);
    expect(wrapper.slice(0, 10).join(' ')).toBe('unshare --user --map-root-user --keep-caps -- unshare --net --mount -- sh');
    expect(wrapper.slice(12)).toEqual(['sh', '/work/a', '/data', '/work', '--', 'setpriv', '--no-new-privs', '--']);
  });

  it('is what there is of it', () => {
    expect(wrapperOf({ death: true, network: true }, LIMITS, VIEW).join(' ')).toBe('setpriv --pdeathsig KILL -- unshare --net --');
    expect(wrapperOf({ hidden: true }, LIMITS, VIEW)).toEqual([]);
    expect(wrapperOf({ privileges: true }, LIMITS, VIEW).join(' ')).toBe('setpriv --no-new-privs --');
  });
});
