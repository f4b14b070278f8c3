/** A container's license, as it was stored. */
type License = Readonly<Record<string, unknown>> | null;

/** Under which terms it may be used: the license's own words, else its name. */
export const findUsageTerms = (license: License): string | null => findText(license?.usageTerms) ?? findText(license?.name);

/** From when until when, and for what, a license holds, as a sentence; null: it says nothing of it. */
export function describeValidity(license: License): string | null {
  const types = Array.isArray(license?.types) ? license.types.map(findText).filter((type) => type !== null) : [];
  const parts = [
    withPrefix('Valid from', findDay(license?.start)),
    withPrefix('Valid until', findDay(license?.end)),
    withPrefix('Permitted for', types.join(', ') || null),
  ].filter((part) => part !== null);
  return parts.length > 0 ? `${parts.join('. ')}.` : null;
}

const withPrefix = (prefix: string, text: string | null): string | null => (text === null ? null : `${prefix} ${text}`);

const findText = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null);

/** The latest moment that a Date can hold. */
const MAX_SECONDS = 8_640_000_000_000;

/** The day, in UTC, of a moment in unix seconds or in ISO 8601. */
function findDay(value: unknown): string | null {
  const isTime = typeof value === 'number' && value > 0 && value <= MAX_SECONDS;
  const date = isTime ? new Date(value * 1000) : new Date(findText(value) ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, -'T00:00:00.000Z'.length);
}
