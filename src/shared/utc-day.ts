const DAY_MS = 86_400_000;

/** The day of a moment in UTC, as YYYY-MM-DD. */
export const utcDayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

/** Seconds until the next day in UTC starts, when daily limits are reset; 1 to 86,400. */
export const secondsUntilNextUtcDay = (now: Date): number => Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1_000);
