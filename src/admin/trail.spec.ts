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

  it('are none when the row was only written again', () => {
    expect(changedProperties(row, { ...row, redirectUris: ['a', 'b'], supportAccessUntil: new Date(5), updatedAt: new Date(2) })).toEqual(
      [],
    );
  });

  it('carry the names that operators know', () => {
    const after = { ...row, redirectUris: ['a'], supportAccessUntil: null, passwordHash: 'y', serviceUserId: 7 };
    expect(changedProperties(row, after)).toEqual(['redirect_uris', 'support_access_until', 'password', 'service_user']);
  });
});
