/** At most `points` requests in a window of `seconds`. */
export interface RateLimit {
  readonly points: number;
  readonly seconds: number;
}

export type RateLimitName = keyof typeof DEFAULTS;
export type RateLimits = Readonly<Record<RateLimitName, RateLimit>>;

const DEFAULTS = {
  address: { points: 12_000, seconds: 60 }, // two hundred bodies a second: a large office behind one address; limits of operations apply too
  login: { points: 120, seconds: 60 }, // a person submits a few; an office behind one address some dozens
  saml: { points: 120, seconds: 60 }, // as many people may return from an identity provider
  token: { points: 600, seconds: 60 }, // ten a second from one address for one client
  dropsite: { points: 120, seconds: 60 }, // sessions of senders: each creates one for its uploads
  items: { points: 20_000, seconds: 3_600 }, // files of senders without an account, whose rows cost the sender nothing: ten thousand pictures, twice
  refused: { points: 2_000, seconds: 3_600 }, // items, not requests: two complete batches of invalid items an hour
  delivery: { points: 6_000, seconds: 60 }, // a hundred a second: an office behind one address that opens pages full of pictures
  segments: { points: 30_000, seconds: 60 }, // five hundred a second: two thousand viewers behind one address, with a segment every four seconds
  polling: { points: 6_000, seconds: 60 }, // a hundred a second: a page that watches a hundred jobs, each once a second
  api: { points: 1_200, seconds: 60 }, // twenty a second from one address for one client and route
} as const satisfies Readonly<Record<string, RateLimit>>;

export const RATE_LIMIT_NAMES = Object.keys(DEFAULTS) as RateLimitName[];

/** The defaults in the syntax of the setting. */
export const RATE_LIMIT_EXAMPLE = Object.entries(DEFAULTS)
  .map(([name, { points, seconds }]) => `${name}=${points}/${seconds}`)
  .join(',');

/**
 * Parses `on`, `off`, or `login=30/60,token=600/60`: the named limits replace the defaults. Null for `off`. Throws an Error that says what to write.
 */
export function parseRateLimits(value: string): RateLimits | null {
  if (value === 'off') return null;
  if (value === 'on') return DEFAULTS;
  const limits: Record<string, RateLimit> = { ...DEFAULTS };
  for (const part of value.split(',')) {
    const match = /^([a-z]+)=([1-9]\d{0,8})\/([1-9]\d{0,5})$/.exec(part.trim());
    if (!match?.[1] || !Object.hasOwn(DEFAULTS, match[1])) throw new Error(`must be on, off or a list such as ${RATE_LIMIT_EXAMPLE}`);
    limits[match[1]] = { points: Number(match[2]), seconds: Number(match[3]) };
  }
  return limits as RateLimits;
}
