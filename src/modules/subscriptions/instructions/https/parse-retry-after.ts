/** As long as the longest schedules wait; a receiver that asks for a year is asked again sooner. */
const MAX_SECONDS = 86_400;

/** What a Retry-After asks for, in whole seconds from `now`; undefined: nothing that could be understood (RFC 9110 section 10.2.3). */
export function parseRetryAfter(value: string, now: Date): number | undefined {
  const text = value.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((momentOf(text) - now.getTime()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_SECONDS);
}

/** Dates begin with the name of a day; Date.parse alone takes a `-5` for a year. */
const momentOf = (text: string): number => (/^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN);
