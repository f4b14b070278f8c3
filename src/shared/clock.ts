/** The current time, injected so that tests can change it. */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/** A clock for tests that only advances when it is told to. */
export class FakeClock extends Clock {
  constructor(private current: Date) {
    super();
  }

  now(): Date {
    return this.current;
  }

  advance(seconds: number): void {
    this.current = new Date(this.current.getTime() + seconds * 1000);
  }
}

/** The tolerance for the clocks of processes that accept each other's tokens (contract section 14.10). */
export const MAX_TOKEN_CLOCK_SECONDS = 60;
