/** Limits concurrent calls and serves parties in turn, so that a party with a thousand calls does not delay one with a single call. */
export class FairLimit {
  /** Waiting parties, next one first, each with the functions that start its calls. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private running = 0;

  constructor(private readonly slots: number) {}

  async run<T>(party: string, call: () => Promise<T>): Promise<T> {
    await this.turn(party);
    try {
      return await call();
    } finally {
      this.running -= 1;
      this.startNext();
    }
  }

  private async turn(party: string): Promise<void> {
    await new Promise<void>((start) => {
      this.waiting.set(party, [...(this.waiting.get(party) ?? []), start]);
      this.startNext();
    });
  }

  private startNext(): void {
    const [next] = this.waiting;
    if (!next || this.running >= this.slots) return;
    const [party, [start, ...later]] = next;
    this.waiting.delete(party);
    if (later.length > 0) this.waiting.set(party, later); // moves the party to the end
    this.running += 1;
    start?.();
  }
}
