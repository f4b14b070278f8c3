/** Whether a value, as text, may be passed to the program for a parameter. */
export type ParameterRule = (value: string) => boolean;

/** The parameters of a converter, by name. Others are never passed on, not even raw parameters of administrators. */
export type ParameterRules = ReadonlyMap<string, ParameterRule>;

/** Longer than any real value. */
const MAX_VALUE_CHARACTERS = 500;

/** The whole value matches. Only patterns from this code base, which are anchored here, and only short values. */
export function matching(pattern: RegExp): ParameterRule {
  const whole = new RegExp(`^(?:${pattern.source})$`, pattern.flags);
  return (value) => value.length <= MAX_VALUE_CHARACTERS && whole.test(value);
}

/** One of these words. */
export const oneOf =
  (...words: readonly string[]): ParameterRule =>
  (value) =>
    words.includes(value);

/** A whole number in a range. */
export const integer =
  (min: number, max: number): ParameterRule =>
  (value) =>
    /^-?\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max;

/** A number in a range, with or without decimals. */
export const decimal =
  (min: number, max: number): ParameterRule =>
  (value) =>
    /^-?\d{1,10}(\.\d{1,6})?$/.test(value) && Number(value) >= min && Number(value) <= max;

/** An option without a value: true adds it, false omits it. */
export const flag: ParameterRule = oneOf('true', 'false');
