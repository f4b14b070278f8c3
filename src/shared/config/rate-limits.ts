/** At most `points` requests in a window of `seconds`. */
export interface RateLimit {
  readonly points: number;
  readonly seconds: number;
}

export type RateLimitName = 'login' | 'token' | 'dropsite' | 'delivery' | 'api';
export type RateLimits = Readonly<Record<RateLimitName, RateLimit>>;

const defaults: RateLimits = {
  login: { points: 120, seconds: 60 }, // a person types a few; an office behind one address types some dozens
  token: { points: 600, seconds: 60 }, // ten a second from one address for one client
  dropsite: { points: 120, seconds: 60 }, // sessions of senders: each makes one for what it uploads
  delivery: { points: 6_000, seconds: 60 }, // a hundred a second: an office behind one address that opens pages full of pictures
  api: { points: 1_200, seconds: 60 }, // twenty a second from one address for one client and route
};

/** `on`, `off`, or `login=30/60,token=600/60`: the named limits replace the defaults. Null when off. Throws an Error that says what to write. */
export function parseRateLimits(value: string): RateLimits | null {
  if (value === 'off') return null;
  if (value === 'on') return defaults;
  const limits: Record<string, RateLimit> = { ...defaults };
  for (const part of value.split(',')) {
    const match = /^(login|token|dropsite|delivery|api)=([1-9]\d{0,8})\/([1-9]\d{0,5})$/.exec(part.trim());
    if (!match?.[1])
      throw new Error('must be on, off or a list such as login=30/60,token=600/60,dropsite=120/60,delivery=6000/60,api=1200/60');
    limits[match[1]] = { points: Number(match[2]), seconds: Number(match[3]) };
  }
  return limits as RateLimits;
}
