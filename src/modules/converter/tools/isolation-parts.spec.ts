import { describe, expect, it } from '@jest/globals';
import { wrapperOf } from './isolation-parts.js';

const LIMITS = { seconds: 60, cpuSeconds: 30.2, fileBytes: 1_000_000.7, memoryBytes: 2_000_000_000 };

describe('what holds a program in', () => {
  it('is nothing where nothing works', () => {
    expect(wrapperOf({}, LIMITS)).toEqual([]);
  });

  it('is all of it in an order that works for an ordinary user', () => {
    const all = { nice: true, limits: true, death: true, user: true, network: true, processes: true };
    expect(wrapperOf({ ...all, hidden: true, init: true, privileges: true, capabilities: true }, LIMITS).join(' ')).toBe(
      [
        'nice -n 10',
        'prlimit --as=2000000000 --cpu=31:36 --fsize=1000000 --nproc=4096 --nofile=1024 --core=0 --',
        'unshare --user --map-current-user --keep-caps --',
        'setpriv --pdeathsig KILL --',
        'unshare --net --pid --fork --kill-child=KILL --mount-proc --',
        'timeout --foreground 0',
        'setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all --',
      ].join(' '),
    );
  });

  it('is what there is of it', () => {
    expect(wrapperOf({ death: true, network: true }, LIMITS).join(' ')).toBe('setpriv --pdeathsig KILL -- unshare --net --');
    expect(wrapperOf({ hidden: true }, LIMITS)).toEqual([]);
    expect(wrapperOf({ privileges: true }, LIMITS).join(' ')).toBe('setpriv --no-new-privs --');
  });
});
