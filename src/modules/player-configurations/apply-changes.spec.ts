import { describe, expect, it } from '@jest/globals';
import { mergeMembers } from './apply-changes.js';

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
