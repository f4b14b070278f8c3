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
 * A Prometheus counter for events that may happen thousands of times a second: the code keeps the series that it counts, so counting is
 * only an addition. prom-client itself would check the labels and build a key of them each time. A series is exported from its first
 * mention, so that an alert sees its first increase.
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

  /** The series with these values of the labels, which must come from a small set. */
  series(labels: Readonly<Record<Label, string>>): Series {
    const key = JSON.stringify(Object.fromEntries(this.options.labels.map((label) => [label, labels[label]])));
    const known = this.known.get(key) ?? { count: 0 };
    this.known.set(key, known);
    return known;
  }
}

/** A series for each of these values of the label `label`; `rest` are the values of the other labels. */
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
 * The code with which a reason begins (`timeout: hooks.example.org did not answer …`) if it is one of these, otherwise `other`: labels are
 * bounded.
 */
export function codeOfReason(reason: string, known: ReadonlySet<string>): string {
  const [code = ''] = reason.split(':', 1);
  return known.has(code) ? code : 'other';
}
