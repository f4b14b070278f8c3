import type { components } from '@media-delivery/sdk';

type AllowedParameter = components['schemas']['AllowedParameterResponse'];

/** How a parameter is entered, as its pattern says: chosen from values, switched on, a whole number, or typed. */
export type ParameterControl =
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'switch' }
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'text' };

/** Whole numbers up to here are tried against a pattern; sides of pictures have four digits. */
const MAX_TRIED = 9_999;

/** Whether a whole value matches the pattern of a parameter; a pattern that this browser cannot read is left to the service. */
export function matches({ regex }: Pick<AllowedParameter, 'regex'>, value: string): boolean {
  return read(regex)?.test(value) ?? true;
}

/** Null: this browser cannot read the pattern. */
function read(regex: string): RegExp | null {
  try {
    return new RegExp(`^(?:${regex})$`);
  } catch {
    return null;
  }
}

/** Derives the control from the pattern of an allowed parameter. */
export function controlOf(parameter: Pick<AllowedParameter, 'regex'>): ParameterControl {
  const values = valuesOf(parameter.regex);
  if (values?.length === 1 && values[0] === 'true') return { kind: 'switch' };
  if (values && values.length > 1) return { kind: 'choice', values };
  const range = numbersOf(parameter);
  return range ? { kind: 'number', ...range } : { kind: 'text' };
}

/** The values of a pattern that lists them, such as `^(main|high)$`, `^4[.]2$` and `^[12]$`; null if it describes them otherwise. */
function valuesOf(regex: string): readonly string[] | null {
  const body = /^\^?\(?([^()]*?)\)?\$?$/.exec(regex)?.[1];
  if (!body) return null;
  const values = body.split('|').flatMap((alternative) => expand(alternative) ?? ['?']);
  return values.length <= 30 && values.every((value) => /^[\w./:+=-]+$/.test(value)) ? values : null; // more cannot be overlooked in a list
}

/** Expands classes of single characters: `4[.][0-2]` are 4.0, 4.1 and 4.2. Null if there is anything else that is not literal. */
function expand(alternative: string): readonly string[] | null {
  const parts = alternative.match(/\[[^\]]+\]|[^[\]]/g) ?? [];
  let values = [''];
  for (const part of parts) {
    const characters = part.startsWith('[') ? charactersOf(part.slice(1, -1)) : /[.*+?{}\\^$]/.test(part) ? null : [part];
    if (!characters || values.length * characters.length > 30) return null;
    values = values.flatMap((value) => characters.map((character) => value + character));
  }
  return values;
}

function charactersOf(set: string): readonly string[] | null {
  if (set.startsWith('^') || set.includes('\\')) return null;
  const range = /^(.)-(.)$/.exec(set);
  if (!range) return set.includes('-') ? null : [...set];
  const [first, last] = [range[1]?.charCodeAt(0) ?? 0, range[2]?.charCodeAt(0) ?? 0];
  return last - first < 30 ? Array.from({ length: last - first + 1 }, (_, n) => String.fromCharCode(first + n)) : null;
}

/** The range of whole numbers that a pattern allows, if it allows nothing else: 0 to 51 for `^([0-9]|[1-4][0-9]|5[01])$`. */
function numbersOf(parameter: Pick<AllowedParameter, 'regex'>): { min: number; max: number } | null {
  const pattern = read(parameter.regex);
  if (!pattern || /[a-zA-Z.\\]/.test(parameter.regex)) return null;
  const numbers: number[] = [];
  for (let number = 0; number <= MAX_TRIED; number += 1) if (pattern.test(String(number))) numbers.push(number);
  const [min, max] = [numbers[0], numbers.at(-1)];
  return min !== undefined && max !== undefined && max - min + 1 === numbers.length && max > min ? { min, max } : null;
}
