import { describe, expect, it } from '@jest/globals';
import { checkVersion, entityTagOf } from './entity-tag.js';

describe('the version of a row', () => {
  const row = { id: 7, version: 3 };

  it('is named by a strong ETag', () => {
    expect(entityTagOf(row)).toBe('"7-3"');
  });

  it.each([undefined, '*', '"7-3"', ' "7-3" ', '"1-1","7-3"', '"1-1" ,  *'])('may be changed with If-Match %j', (ifMatch) => {
    expect(() => checkVersion(row, ifMatch)).not.toThrow();
  });

  it.each(['', '"7-2"', '"17-3"', '7-3', 'W/"7-3"', '"7-3', '"*"'])('may not be changed with If-Match %j', (ifMatch) => {
    expect(() => checkVersion(row, ifMatch)).toThrow(expect.objectContaining({ code: 'precondition_failed' }));
  });
});
