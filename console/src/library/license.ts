import type { Container } from './queries';

/** The values of the fields of a licence; dates as the field shows them. */
export interface LicenseValues {
  readonly name: string;
  readonly usageTerms: string;
  readonly start: string;
  readonly end: string;
  readonly types: string[];
}

type License = Container['license'];

export const NO_LICENSE: LicenseValues = { name: '', usageTerms: '', start: '', end: '', types: [] };

/** The day of a time in UTC, as date fields show it. */
export const dayOf = (time: string | null | undefined): string => time?.slice(0, 10) ?? '';

export const toLicenseValues = (license: License): LicenseValues => ({
  name: license?.name ?? '',
  usageTerms: license?.usageTerms ?? '',
  start: dayOf(license?.start),
  end: dayOf(license?.end),
  types: [...(license?.types ?? [])],
});

/** The licence of these values; null: all are empty. A day that is still that of `before` keeps its time of day. */
export function toLicense(values: LicenseValues, before: License = null): License {
  const { name, usageTerms, types } = values;
  const time = (field: 'start' | 'end') => keepTime(values[field], before?.[field]);
  const license = { name: name || null, usageTerms: usageTerms || null, start: time('start'), end: time('end'), types };
  return Object.values(license).every((value) => value === null || (Array.isArray(value) && value.length === 0)) ? null : license;
}

/** A day as it is sent: null if there is none, and the time that was read if the day is still the same. */
export const keepTime = (day: string, before: string | null | undefined): string | null =>
  day === '' ? null : day === dayOf(before) ? (before as string) : day;
