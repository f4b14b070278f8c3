/** What an answer contains apart from its values: its members, and the kind of each value. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]));
  if (typeof value !== 'string') return value === null ? 'null' : typeof value;
  return Object.entries(KINDS).find(([, pattern]) => pattern.test(value))?.[0] ?? 'text';
}

const KINDS = {
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  uuid: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/,
  url: /^https?:\/\//,
};

/** When an example was recorded, according to its times. */
const RECORDED_AT = Date.UTC(2026, 0, 31, 12);
const DAY_MS = 86_400_000;
/** Tokens are longer; only their beginning is shown. */
const MAX_TEXT = 100;
const SECRETS: Readonly<Record<string, string>> = {
  AccessKeyId: 'ASIAIOSFODNN7EXAMPLE',
  SecretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  SessionToken: 'IQoJb3JpZ2luX2VjEXAMPLE…',
  signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
};

/** Turns answers of a test into examples of the document. */
export class ExampleRecorder {
  private readonly shiftMs = RECORDED_AT - Date.now();
  /** UUIDs that the service chose, by the order in which they occur. */
  private readonly ids = new Map<string, string>();

  /** `names`: what is called differently outside the tests; `requests`: the examples of requests, whose ids remain. */
  constructor(private readonly options: { readonly names: Readonly<Record<string, string>>; readonly requests: string }) {}

  record(value: unknown, member = ''): unknown {
    if (Array.isArray(value)) return value.map((one) => this.record(one));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.record(one, name)]));
    }
    if (typeof value === 'number') return isRecent(value * 1_000) ? this.moved(value * 1_000) / 1_000 : value;
    return typeof value === 'string' ? (SECRETS[member] ?? this.recordText(value)) : value;
  }

  private recordText(text: string): string {
    if (KINDS.time.test(text)) return isRecent(Date.parse(text)) ? new Date(this.moved(Date.parse(text))).toISOString() : text;
    const renamed = Object.entries(this.options.names).reduce((current, [name, shown]) => current.replaceAll(name, shown), text);
    const shown = renamed.replaceAll(/[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}/g, (id) => this.idOf(id));
    return shown.length > MAX_TEXT && /^[\w.+/=-]+$/.test(shown) ? `${shown.slice(0, 20)}…` : shown;
  }

  private idOf(id: string): string {
    if (this.options.requests.includes(id)) return id;
    const shown = this.ids.get(id) ?? `3f0c7d1e-8a1b-4b52-9d5e-6f1d2c3b4a${10 + this.ids.size}`;
    this.ids.set(id, shown);
    return shown;
  }

  /** In whole seconds. */
  private moved(ms: number): number {
    return Math.round((ms + this.shiftMs) / 1_000) * 1_000;
  }
}

/** A time of the test; others are part of the example. */
const isRecent = (ms: number): boolean => Math.abs(ms - Date.now()) < DAY_MS;
