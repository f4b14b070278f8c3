import { parseUrl } from '../../../../shared/validation/index.js';

/** Characters; a longer name would fill a screen. */
const MAX_LINE = 200;
const MAX_TEXT = 5_000;
/** The last millisecond of the year 9999, in Unix milliseconds. */
const MAX_MOMENT = 253_402_300_799_999;

/** The values are not sufficient to write the mail; the message (a code, a colon and a sentence) is for the log of the subscription. */
export class UnusableEmail extends Error {}

/** The values of a template: the payload of the event and the parameters of the instruction. Unusable values count as absent. */
export class EmailParameters {
  /** `base`: the origin of addresses that begin with a slash. */
  constructor(
    private readonly values: Readonly<Record<string, unknown>>,
    private readonly base: string,
  ) {}

  /** The first of these values that is a text or number, as one line. */
  line(...names: readonly string[]): string | null {
    for (const name of names) {
      const line = this.text(name)?.replaceAll(/\s+/g, ' ').trim();
      if (line) return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE - 1)}…` : line;
    }
    return null;
  }

  /** A text with its line breaks. */
  text(name: string): string | null {
    const value = this.own(name);
    if (typeof value !== 'string' && typeof value !== 'number') return null;
    const text = String(value).trim().slice(0, MAX_TEXT);
    return text === '' ? null : text;
  }

  isTrue(name: string): boolean {
    return this.own(name) === true;
  }

  /** A number of at least 0. */
  number(name: string): number | null {
    const value = this.own(name);
    const number = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
  }

  /** The length of a list; a number stands for itself. */
  count(name: string): number | null {
    const value = this.own(name);
    const number = Array.isArray(value) ? value.length : this.number(name);
    return number !== null && Number.isInteger(number) ? number : null;
  }

  /** A time in Unix seconds or ISO 8601. */
  moment(name: string): Date | null {
    const value = this.own(name);
    const seconds = this.number(name);
    const at = seconds === null ? Date.parse(typeof value === 'string' ? value : '') : seconds * 1_000;
    return at >= 0 && at <= MAX_MOMENT ? new Date(at) : null;
  }

  /** An http or https address; others (javascript:, data:) count as absent. */
  url(name: string): string | null {
    const text = this.text(name);
    const url = text === null ? null : parseUrl(text.startsWith('/') ? this.base + text : text);
    return url && /^https?:$/.test(url.protocol) ? url.href : null;
  }

  /** Like `url`, but throws UnusableEmail if it is missing. */
  requiredUrl(name: string): string {
    const url = this.url(name);
    if (url === null) throw new UnusableEmail(`template: the parameter ${name} must be an http or https address`);
    return url;
  }

  private own(name: string): unknown {
    return Object.hasOwn(this.values, name) ? this.values[name] : undefined;
  }
}
