import { describe, expect, it } from '@jest/globals';
import { toFields, toValues } from './dropsite-values.js';
import type { Dropsite } from './queries.js';

const dropsite = {
  name: 'Photos',
  description: '',
  expiresAt: '2030-01-31T18:00:30.000Z',
  requiresPassword: true,
  maxItemsPerDay: 10,
  maxBytesPerDay: 1_500_000,
  allowedTypes: ['image'],
  allowAnonymous: false,
  publicAreaIds: [7],
} as unknown as Dropsite;

describe('the form of a dropsite', () => {
  it('sends what it was given, and neither the password nor the end that were not touched', () => {
    const values = toValues(dropsite);
    expect(toFields(values, values)).toEqual({
      name: 'Photos',
      description: '',
      maxItemsPerDay: 10,
      maxBytesPerDay: 1_500_000,
      allowedTypes: ['image'],
      allowAnonymous: false,
      publicAreaIds: [7],
    });
  });

  it('sets and clears the end, the limits and the password', () => {
    const values = toValues(dropsite);
    expect(toFields({ ...values, expiresAt: '', maxItemsPerDay: '', maxSizePerDay: '', removePassword: true }, values)).toMatchObject({
      ...{ expiresAt: null, maxItemsPerDay: null, maxBytesPerDay: null, password: null },
    });
    const changed = toFields({ ...values, expiresAt: '2031-02-03T04:05', password: 'open sesame', removePassword: true }, values);
    expect(changed).toMatchObject({ expiresAt: new Date(2031, 1, 3, 4, 5).toISOString(), password: 'open sesame' });
  });
});
