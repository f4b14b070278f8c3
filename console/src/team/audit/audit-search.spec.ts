import { describe, expect, it } from '@jest/globals';
import { readAuditSearch, toFilters, userIdOf } from './audit-search.js';

describe('the address of the audit trail', () => {
  it('has filters and days, and leaves out what it does not know', () => {
    const query = { action: 'user.disable', actor: ' user:12 ', subject: 17, from: '2026-01-31', to: '2026-02-31x', page: 3 };
    expect(readAuditSearch(query)).toEqual({ action: 'user.disable', actor: 'user:12', subject: '17', from: '2026-01-31' });
    expect(readAuditSearch({ action: '', from: '2026-99-99' })).toEqual({});
  });

  it('asks for whole days, the first and the last one included', () => {
    const { createdAfter = '', createdBefore = '', ...rest } = toFilters({ actor: 'user:12', from: '2026-01-31', to: '2026-02-28' });
    expect(rest).toEqual({ actor: 'user:12' });
    expect(new Date(createdAfter).getTime()).toBe(new Date(2026, 0, 31).getTime() - 1);
    expect(new Date(createdBefore)).toEqual(new Date(2026, 2, 1));
    expect(toFilters({})).toEqual({});
  });

  it('recognises users among actors and subjects', () => {
    expect(['user:12', 'admin:root', 'saml:acme', 'user:0', 'user:12x'].map(userIdOf)).toEqual([12, null, null, null, null]);
  });
});
