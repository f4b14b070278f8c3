import { describe, expect, it } from '@jest/globals';
import { type MediaFilter, toCondition } from './media-filter.js';

const conditionOf = (filter: Partial<MediaFilter>, inName: boolean | null = null) => toCondition(7, { state: 'all', ...filter }, inName);
const termsOf = (filter: Partial<MediaFilter>, inName: boolean | null = null) => conditionOf(filter, inName).values[1];

describe('the condition of a find', () => {
  it('has the terms of the customer', () => {
    expect(termsOf({ state: 'trash' })).toBe(`'7:strash'`);
    expect(termsOf({})).toBe(`'7:a'`);
    expect(termsOf({ type: 'video', extension: 'mov', creatorId: 3, dropsiteId: 4, formatId: 5, missingFormatId: 6 })).toBe(
      `'7:a' & '7:yvideo' & '7:emov' & '7:c3' & '7:d4' & '7:f5' & !'7:f6'`,
    );
  });

  it('quotes what people write', () => {
    expect(termsOf({ tags: [`it's`, 'a & !b:*', 'back\\slash'] })).toBe(`'7:a' & '7:tit''s' & '7:ta & !b:*' & '7:tback\\\\slash'`);
  });

  it('requires each word once, and no beginning of another one', () => {
    const words = ['river', 'riverbank', 'film', 'film'];
    expect(termsOf({ words })).toBe(`'7:a' & '7:wriverbank':* & '7:wfilm':*`);
    expect(termsOf({ words }, true)).toBe(`'7:a' & '7:wriverbank':* & '7:wfilm':* & ('7:nriverbank':* & '7:nfilm':*)`);
    expect(termsOf({ words: ['film'] }, false)).toBe(`'7:a' & '7:wfilm':* & !('7:nfilm':*)`);
  });

  it('compares whole tags where a term has only the beginning', () => {
    const long = '👍'.repeat(201);
    expect(conditionOf({ tags: ['short'] }).text).not.toContain('tags');
    expect(conditionOf({ tags: [long] })).toMatchObject({
      text: 'customer_id = $1 AND terms @@ $2::tsquery AND tags @> $3::text[]',
      values: [7, `'7:a' & '7:t${'👍'.repeat(200)}'`, [long]],
    });
  });

  it('leaves out containers without a size where a size is required', () => {
    const sizes = (filter: object) => {
      const { ranges, values } = conditionOf(filter);
      return [ranges.file_size, values.slice(2)];
    };
    expect(sizes({})).toEqual(['true', []]);
    expect(sizes({ maxSize: 9 })).toEqual(['file_size >= $3 AND file_size <= $4', [0, 9]]);
    expect(sizes({ minSize: 5 })).toEqual(['file_size >= $3', [5]]);
  });
});
