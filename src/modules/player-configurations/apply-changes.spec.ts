import { describe, expect, it } from '@jest/globals';
import { checkVersion, entityTagOf, mergeMembers } from './apply-changes.js';

describe('settings after a change', () => {
  const before = { cname: 'a.example', subtitle: { lang: 'deu', default: 1 } };

  it('stay if absent, and are cleared by null', () => {
    expect(mergeMembers(before, undefined)).toBe(before);
    expect(mergeMembers(before, null)).toBeNull();
    expect(mergeMembers(null, undefined)).toBeNull();
    expect(mergeMembers(null, {})).toEqual({});
  });

  it('have each member that was sent as it was sent, and no null', () => {
    expect(mergeMembers(before, { subtitle: { lang: 'eng' } })).toEqual({ cname: 'a.example', subtitle: { lang: 'eng' } });
    expect(mergeMembers(before, { cname: null, subtitle: undefined })).toEqual({});
    expect(mergeMembers<object>(before, { list: [{ a: null, b: [1, 0, false, ''] }] })).toEqual({
      ...before,
      list: [{ b: [1, 0, false, ''] }],
    });
  });

  it('leave those of before alone', () => {
    mergeMembers(before, { cname: null, subtitle: { lang: 'eng' } });
    expect(before).toEqual({ cname: 'a.example', subtitle: { lang: 'deu', default: 1 } });
  });
});

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
