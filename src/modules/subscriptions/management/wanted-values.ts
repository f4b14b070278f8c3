/** A value that stands somewhere in the conditions of a subscription. */
export interface WantedCondition {
  /** Relative to `conditions`, in dots: `payload.mediaContainerId`. */
  readonly path: string;
  readonly value: number | string;
}

/** As a number of JSON is written; other spellings are texts only. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** The values of JSON that it may mean: a query cannot tell the number 7 from the text "7" (contract section 11). */
export function wantedValues({ value }: Pick<WantedCondition, 'value'>): string[] {
  const text = String(value);
  return NUMBER.test(text) ? [JSON.stringify(text), text] : [JSON.stringify(text)];
}
