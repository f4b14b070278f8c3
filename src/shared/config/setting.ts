/** One environment variable: how its text becomes a value. `parse` throws an Error whose message completes "NAME …". */
export interface Setting<T> {
  readonly description: string;
  readonly fallback: T;
  readonly secret?: boolean;
  readonly auto?: boolean;
  parse(value: string): T;
}

interface Options {
  readonly secret?: boolean;
}

export const text = (fallback: string, description: string, options: Options = {}): Setting<string> => ({
  description,
  fallback,
  ...options,
  parse: (value) => value,
});

export const list = (fallback: readonly string[], description: string, options: Options = {}): Setting<readonly string[]> => ({
  description,
  fallback,
  ...options,
  parse: (value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
});

export const flag = (fallback: boolean, description: string): Setting<boolean> => ({
  description,
  fallback,
  parse(value) {
    if (!['true', 'false'].includes(value)) throw new Error('must be true or false');
    return value === 'true';
  },
});

export const oneOf = <T extends string>(allowed: readonly T[], fallback: T, description: string): Setting<T> => ({
  description,
  fallback,
  parse(value) {
    const found = allowed.find((candidate) => candidate === value);
    if (!found) throw new Error(`must be one of ${allowed.join(', ')}`);
    return found;
  },
});

export const integer = (range: { fallback: number; min: number; max: number }, description: string): Setting<number> => ({
  description,
  fallback: range.fallback,
  parse(value) {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < range.min || number > range.max) {
      throw new Error(`must be a whole number from ${range.min} to ${range.max}`);
    }
    return number;
  },
});

export const optionalUrl = (description: string): Setting<string> => ({
  description,
  fallback: '',
  parse(value) {
    if (!URL.canParse(value)) throw new Error('must be an absolute URL');
    return value;
  },
});
