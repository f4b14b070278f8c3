const DAY_MS = 86_400_000;

/** Seconds until the next day in UTC begins, when the limits of a day count anew; 1 to 86,400. */
export const secondsUntilNextDay = (now: Date): number => Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1_000);
