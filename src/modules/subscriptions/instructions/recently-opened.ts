/** Subscriptions that act at the same time; more are opened anew. */
const REMEMBERED = 500;
/** Characters of a sealed text; longer ones are rare, and would fill the memory. */
const LONGEST = 8_192;

/** What was opened of sealed texts lately: of a subscription that acts often it is the same text again and again. */
export class RecentlyOpened<Value> {
  private readonly values = new Map<string, Value>();

  constructor(private readonly open: (sealed: string) => Value) {}

  /** Throws what `open` throws. */
  get(sealed: string): Value {
    const known = this.values.get(sealed);
    if (known !== undefined) return known;
    const value = this.open(sealed);
    if (sealed.length <= LONGEST) this.remember(sealed, value);
    return value;
  }

  private remember(sealed: string, value: Value): void {
    const [oldest] = this.values.keys();
    if (this.values.size >= REMEMBERED && oldest !== undefined) this.values.delete(oldest);
    this.values.set(sealed, value);
  }
}
