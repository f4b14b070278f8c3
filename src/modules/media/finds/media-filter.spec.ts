import { describe, expect, it } from '@jest/globals';
import { inName, toConditions } from './media-filter.js';

const termsOf = (filter: Partial<Parameters<typeof toConditions>[1]>) => toConditions(7, { state: 'all', ...filter }).terms.slice(1);

describe('the conditions of a find', () => {
  it('are terms of the customer', () => {
    expect(toConditions(7, { state: 'trash' }).terms).toEqual([`'7:strash'`]);
    expect(toConditions(7, { state: 'all' }).terms).toEqual([`'7:a'`]);
    expect(termsOf({ type: 'video', extension: 'mov', creatorId: 3, dropsiteId: 4, formatId: 5, missingFormatId: 6 })).toEqual([
      ...[`'7:yvideo'`, `'7:emov'`, `'7:c3'`, `'7:d4'`, `'7:f5'`],
      `!'7:f6'`,
    ]);
  });

  it('quote what people write', () => {
    expect(termsOf({ tags: [`it's`, 'a & !b:*', 'back\\slash'] })).toEqual([`'7:tit''s'`, `'7:ta & !b:*'`, `'7:tback\\\\slash'`]);
  });

  it('require each word once, and no beginning of another one', () => {
    expect(termsOf({ words: ['river', 'riverbank', 'film', 'film'] })).toEqual([`'7:wriverbank':*`, `'7:wfilm':*`]);
    expect(inName(7, ['river', 'riverbank', 'film'])).toBe(`'7:nriverbank':* & '7:nfilm':*`);
  });

  it('compare whole tags where a term has only the beginning', () => {
    const long = '👍'.repeat(201);
    expect(toConditions(7, { state: 'all', tags: ['short'] }).longTags).toBeNull();
    expect(toConditions(7, { state: 'all', tags: [long] })).toMatchObject({
      longTags: [long],
      terms: [`'7:a'`, `'7:t${'👍'.repeat(200)}'`],
    });
  });

  it('tell which values the indexes of creators, dates and sizes contain', () => {
    const told = (filter: object) => {
      const { scope, columns } = toConditions(7, { state: 'all', ...filter });
      return [scope, columns];
    };
    expect(told({})).toEqual(['state', [null, null, null]]);
    expect(told({ creatorId: 3 })).toEqual(['creator', [null, null, 3]]);
    expect(told({ type: 'video', extension: 'mov' })).toEqual(['group', ['video', 'mov', null]]);
    expect(told({ tags: ['a'] })).toEqual(['group', null]);
    expect(told({ type: 'video', creatorId: 3 })).toEqual(['container', ['video', null, 3]]);
    for (const other of [{ words: ['a'] }, { dropsiteId: 4 }, { formatId: 5 }, { missingFormatId: 6 }]) {
      expect(told({ creatorId: 3, ...other })).toEqual(['container', null]);
    }
  });

  it('leave out containers without a size where a size is required', () => {
    const sizes = (filter: object) => {
      const { minSize, maxSize } = toConditions(7, { state: 'all', ...filter });
      return [minSize, maxSize];
    };
    expect(sizes({})).toEqual(['-1', '9223372036854775807']);
    expect(sizes({ maxSize: 9 })).toEqual(['0', '9']);
    expect(sizes({ minSize: 5 })).toEqual(['5', '9223372036854775807']);
  });
});
