/** Whether a value, as text, may be handed to the program as a parameter of this name. */
export type ParameterRule = (value: string) => boolean;

/** The parameters a converter takes, by name. What is not named is never handed over, whoever asks (raw parameters too). */
export type ParameterRules = ReadonlyMap<string, ParameterRule>;

/** Longer than any value that a person writes. */
const MAX_VALUE_CHARACTERS = 500;

/** The whole value matches. The patterns are ours, anchored here, and only short values reach them. */
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

/** A number, with decimals or without, in a range. */
export const decimal =
  (min: number, max: number): ParameterRule =>
  (value) =>
    /^-?\d{1,10}(\.\d{1,6})?$/.test(value) && Number(value) >= min && Number(value) <= max;

/** An option without a value: true switches it on, false leaves it out. */
export const flag: ParameterRule = oneOf('true', 'false');
