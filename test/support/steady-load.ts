/** A request that failed: which, when, and how. */
export interface Failure {
  readonly request: string;
  readonly phase: string;
  /** When it was sent. */
  readonly afterMs: number;
  readonly reason: string;
}

/** On a busy machine fewer requests are sent than were asked for. */
const MAX_UNDER_WAY = 32;

/** Sends requests of some kinds in turn at a steady rate, whether earlier ones were answered or not, and keeps what failed. */
export class SteadyLoad {
  readonly failures: Failure[] = [];
  sent = 0;
  /** What the test does meanwhile. */
  phase = 'start';
  private readonly startedAt = performance.now();
  private readonly underWay = new Set<Promise<void>>();
  private readonly timer: NodeJS.Timeout;

  /** A request rejects when it failed. */
  constructor(requests: Readonly<Record<string, () => Promise<unknown>>>, perSecond: number) {
    const kinds = Object.entries(requests);
    this.timer = setInterval(() => {
      const [name, send] = kinds[this.sent % kinds.length] ?? [];
      if (name && send && this.underWay.size < MAX_UNDER_WAY) this.start(name, send);
    }, 1_000 / perSecond);
  }

  /** The time since the start, as in `Failure.afterMs`. */
  elapsedMs(): number {
    return Math.round(performance.now() - this.startedAt);
  }

  /** Waits for the responses to the requests that were sent so far. */
  async answered(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /** Sends no more, and waits for the responses. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.answered();
  }

  private start(request: string, send: () => Promise<unknown>): void {
    this.sent += 1;
    const { phase } = this;
    const afterMs = this.elapsedMs();
    const answered = send()
      .then(
        () => {},
        (error: Error) => void this.failures.push({ request, phase, afterMs, reason: error.message }),
      )
      .finally(() => this.underWay.delete(answered));
    this.underWay.add(answered);
  }
}
