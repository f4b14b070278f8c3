import { type Language, LOCALES } from '../../../../shared/languages.js';

/** Decimal units, as operating systems and the storage use them. */
const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;
const STEP = 1_000;

const DURATIONS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** The singular and plural forms of a count; `#` is the number. */
export interface Counted {
  readonly one: string;
  readonly other: string;
}

/** Formats numbers, sizes, durations and times as readers of a language expect them. */
export class EmailFormats {
  private readonly locale: string;

  constructor(language: Language) {
    this.locale = LOCALES[language];
  }

  /** `1,234` · `1.234` */
  number(value: number): string {
    return new Intl.NumberFormat(this.locale).format(value);
  }

  /** `3 files` */
  count(value: number, words: Counted): string {
    const form = new Intl.PluralRules(this.locale).select(value) === 'one' ? words.one : words.other;
    return form.replace('#', this.number(value));
  }

  /** Bytes: `1.2 GB` · `1,2 GB` */
  size(bytes: number): string {
    const step = bytes < STEP ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), SIZES.length - 1);
    const scaled = bytes / STEP ** step;
    // 999,960 bytes round to 1,000.0 kB; people write 1 MB.
    const rounds = Math.round(scaled * 10) / 10 >= STEP && step < SIZES.length - 1;
    const unit = SIZES[rounds ? step + 1 : step];
    const unitDisplay = unit === 'byte' ? 'long' : 'short';
    const format = new Intl.NumberFormat(this.locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 });
    return format.format(rounds ? 1 : scaled);
  }

  /** Seconds, in the two largest units: `2 hours, 5 minutes`. */
  duration(seconds: number): string {
    const whole = Math.max(Math.round(seconds), 0);
    const first = DURATIONS.findIndex(([, length]) => whole >= length);
    if (first === -1) return this.unit(0, 'second');
    const [largest, next] = DURATIONS.slice(first);
    if (!largest) return this.unit(0, 'second');
    const [unit, length] = largest;
    if (!next) return this.unit(whole, unit);
    const rest = Math.floor((whole % length) / next[1]);
    const parts = [this.unit(Math.floor(whole / length), unit), ...(rest > 0 ? [this.unit(rest, next[0])] : [])];
    return new Intl.ListFormat(this.locale, { type: 'unit' }).format(parts);
  }

  /** `3 February 2026 at 14:05 UTC`; the reader's time zone is not known. */
  moment(moment: Date): string {
    return `${new Intl.DateTimeFormat(this.locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(moment)}\u00a0UTC`;
  }

  private unit(value: number, unit: string): string {
    return new Intl.NumberFormat(this.locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  }
}
