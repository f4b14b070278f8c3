import { describe, expect, it } from '@jest/globals';
import { startCpuTimer } from '../../../test/support/cpu-timer.js';
import { entityTagOf, requireMatch, requireNoTag } from './entity-tags.js';

const refusal = expect.objectContaining({ code: 'precondition_failed' });

describe('the version of a row', () => {
  const row = { id: 7, version: 3 };

  it('is named by a strong ETag', () => {
    expect(entityTagOf(row)).toBe('"7-3"');
  });

  it.each([undefined, '*', '"7-3"', ' "7-3" ', '"1-1","7-3"', '"1-1" ,  *', ',"7-3",', '"a,b", "7-3"', 'W/"7-3", "7-3"'])(
    'may be changed with If-Match %j',
    (ifMatch) => {
      expect(() => requireMatch(ifMatch, row, 'format 7')).not.toThrow();
    },
  );

  it.each([
    '',
    ',',
    '"7-2"',
    '"17-3"',
    '7-3',
    'W/"7-3"',
    'w/"7-3"',
    'W/ "7-3"',
    '"7-3',
    '"*"',
    '"a,*,b"',
    '"a, *',
    '"7-3" "7-4"',
    'x"7-3"',
  ])('may not be changed with If-Match %j', (ifMatch) => {
    expect(() => requireMatch(ifMatch, row, 'format 7')).toThrow(refusal);
  });

  it('is compared in time proportional to the header', () => {
    for (const part of ['"', ',', '"a,', 'W/"7-2", ', '*" ']) {
      const elapsed = startCpuTimer();
      expect(() => requireMatch(part.repeat(100_000), row, 'format 7')).toThrow(refusal);
      expect(elapsed()).toBeLessThan(500);
    }
  });
});

describe('a resource without an entity tag', () => {
  it('may be removed without If-Match or with * only', () => {
    for (const ifMatch of [undefined, '*']) expect(() => requireNoTag(ifMatch, 'job 7')).not.toThrow();
    for (const ifMatch of ['"7-3"', '', '"*"']) expect(() => requireNoTag(ifMatch, 'job 7')).toThrow(refusal);
  });
});
