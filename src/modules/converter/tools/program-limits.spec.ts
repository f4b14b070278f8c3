import { describe, expect, it } from '@jest/globals';
import { bareCommand, limitingCommand } from './program-limits.js';

const LIMITS = { seconds: 60, cpuSeconds: 30.2, fileBytes: 1_000_000.7, memoryBytes: 2_000_000_000 };

describe('the limits of a program', () => {
  it('are empty if no limiting program works', () => {
    expect([...limitingCommand({}, LIMITS), ...bareCommand({})]).toEqual([]);
    expect(bareCommand({ capabilities: true })).toEqual([]);
  });

  it('are those that the available programs support', () => {
    expect(limitingCommand({ nice: true, expendable: true, limits: true }, LIMITS).join(' ')).toBe(
      'nice -n 10 choom -n 1000 -- prlimit --as=2000000000 --cpu=43:48 --fsize=1000000 --nproc=4096 --nofile=1024 --core=0 --',
    );
    expect(bareCommand({ death: true }).join(' ')).toBe('setpriv --pdeathsig KILL --');
    expect(bareCommand({ death: true, privileges: true, capabilities: true }).join(' ')).toBe(
      'setpriv --pdeathsig KILL --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all --',
    );
  });
});
