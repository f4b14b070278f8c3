import { expect, it } from '@jest/globals';
import { NO_LICENSE, toLicense, toLicenseValues } from './license';

it('fields without values are no licence', () => {
  expect(toLicense(NO_LICENSE)).toBeNull();
  expect(toLicenseValues(null)).toEqual(NO_LICENSE);
});

it('keeps the time of a day that was not changed', () => {
  const license = { name: 'Press', usageTerms: null, start: '2026-01-01T09:30:00.000Z', end: '2027-01-01T23:59:59.999Z', types: ['web'] };
  const values = toLicenseValues(license);
  expect(values).toMatchObject({ start: '2026-01-01', end: '2027-01-01' });
  expect(toLicense(values, license)).toEqual(license);
  expect(toLicense({ ...values, end: '2028-01-01' }, license)).toEqual({ ...license, end: '2028-01-01' });
  expect(toLicense({ ...values, start: '' }, license)).toEqual({ ...license, start: null });
});
