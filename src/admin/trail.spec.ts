import { describe, expect, it } from '@jest/globals';
import { changedProperties } from './trail.js';

describe('the changed properties of a row', () => {
  const row = {
    id: 1,
    redirectUris: ['a', 'b'],
    supportAccessUntil: new Date(5),
    passwordHash: 'x',
    serviceUserId: null,
    updatedAt: new Date(1),
  };

  it('are empty when the row was rewritten without a change', () => {
    expect(changedProperties(row, { ...row, redirectUris: ['a', 'b'], supportAccessUntil: new Date(5), updatedAt: new Date(2) })).toEqual(
      [],
    );
  });

  it('have the names that operators know', () => {
    const after = { ...row, redirectUris: ['a'], supportAccessUntil: null, passwordHash: 'y', serviceUserId: 7 };
    expect(changedProperties(row, after)).toEqual(['redirect_uris', 'support_access_until', 'password', 'service_user']);
  });
});
