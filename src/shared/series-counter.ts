import { Counter } from 'prom-client';

/** One series of a counter: `series.count += 1`. */
export interface Series {
  count: number;
}

interface CounterOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

/**
 * A Prometheus counter for events that may occur thousands of times a second: the code keeps the series that it counts, so counting is only
 * an addition. prom-client itself would check the labels and build a key from them each time. A series is exported from its first
 * use, so that an alert sees its first increase.
 */
export class SeriesCounter<Label extends string> {
  private readonly known = new Map<string, Series>();

  constructor(private readonly options: CounterOptions<Label>) {
    const { known } = this;
    new Counter<Label>({
      name: options.name,
      help: options.help,
      labelNames: [...options.labels],
      collect() {
        this.reset();
        for (const [key, { count }] of known) this.inc(JSON.parse(key) as Record<Label, string>, count);
      },
    });
  }

  /** The series with these label values, which must come from a small set. */
  series(labels: Readonly<Record<Label, string>>): Series {
    const key = JSON.stringify(Object.fromEntries(this.options.labels.map((label) => [label, labels[label]])));
    const known = this.known.get(key) ?? { count: 0 };
    this.known.set(key, known);
    return known;
  }
}

/** One series for each value of the label `label`; `rest` are the values of the other labels. */
export function seriesByValue<Label extends string, Value extends string>(
  counter: SeriesCounter<Label>,
  label: Label,
  values: readonly Value[],
  rest: Partial<Record<Label, string>> = {},
): Readonly<Record<Value, Series>> {
  const entries = values.map((value) => [value, counter.series({ ...rest, [label]: value } as Record<Label, string>)]);
  return Object.fromEntries(entries) as Record<Value, Series>;
}

/**
 * The code at the beginning of a reason (`timeout: hooks.example.org did not answer …`) if it is one of `known`, otherwise `other`, so that the
 * number of label values is bounded.
 */
export function codeOfReason(reason: string, known: ReadonlySet<string>): string {
  const [code = ''] = reason.split(':', 1);
  return known.has(code) ? code : 'other';
}
