/** A result may be longer than its original, when a filter slows it; so much longer is none that ends. */
const ENDLESS = { factor: 4, seconds: 60 };

/** Reads what ffmpeg tells on the way (`-progress`), as part of the whole. */
export class EncodeProgress {
  constructor(
    /** Seconds that are to be made; null: not known. */
    private readonly expected: number | null,
    private readonly hear: { advance(part: number): void; endless(): void },
  ) {}

  read(line: string): void {
    const [, microseconds] = /^out_time_us=(\d{1,15})$/.exec(line) ?? [];
    if (microseconds === undefined || this.expected === null || this.expected <= 0) return;
    const made = Number(microseconds) / 1e6;
    if (made > this.expected * ENDLESS.factor + ENDLESS.seconds) this.hear.endless();
    else this.hear.advance(Math.min(1, made / this.expected));
  }
}
