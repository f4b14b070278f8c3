import { describe, expect, it } from '@jest/globals';
import { capturedLog } from '../../../test/support/captured-log.js';
import { ReadyDetailsService } from './ready-details.service.js';

const CONVERTER = { workers: 0, programs: {}, isolation: null };

describe('details of readiness that modules know', () => {
  it('are empty until a module registers', async () => {
    expect(await new ReadyDetailsService(capturedLog().log).all()).toEqual({});
  });

  it('are current; unavailable ones are left out and logged', async () => {
    const { log, lines } = capturedLog();
    const sources = new ReadyDetailsService(log);
    let isAway = false;
    sources.register('converter', async () => {
      if (isAway) throw new Error('the database is away');
      return CONVERTER;
    });
    expect(await sources.all()).toEqual({ converter: CONVERTER });
    isAway = true;
    expect(await sources.all()).toEqual({});
    expect(lines).toMatchObject([{ level: 40, msg: 'cannot read a detail of readiness' }]);
  });
});
