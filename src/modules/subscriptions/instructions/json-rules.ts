import type { FieldProblem } from '../../../shared/errors.js';
import { isObject, type Limits, MAX_ID, tooLarge, type ValueType, valueTypes } from '../../../shared/validation/index.js';

/**
 * Checks a JSON value from outside and returns its problems; an empty list: none. `path` is the path of the value in dot notation. Instructions need
 * rules instead of class-validator: their members depend on the type next to them, problems concern several members at once, and a list of
 * instructions reports the problems of all its elements, at any depth, in the order of the members. `limits` says what it checks, for OpenAPI.
 */
export type Rule = Check & { readonly limits?: Limits };

type Check = (value: unknown, path: string) => FieldProblem[];

/** A rule that is checked by a function of its own and has these limits. */
export const ruleWith = (limits: Limits | undefined, check: Check): Rule => Object.assign(check, limits && { limits });

/** A rule whose problems are followed by those that another function finds. */
export const followedBy = (rule: Rule, check: Check): Rule =>
  ruleWith(rule.limits, (value, path) => [...rule(value, path), ...check(value, path)]);

/** The members of an object and the rule of each. */
export type Members = Readonly<Record<string, Rule>>;

/** A list with one problem. */
export const problem = (path: string, code: string, message: string): FieldProblem[] => [{ path, code, message }];

/** The problem of a value that does not have this type. */
export const mistyped = (path: string, type: ValueType): FieldProblem[] => problem(path, 'type', valueTypes[type].words);

/** The path of a member of the value at `path`. */
export const within = (path: string, member: string | number): string => (path === '' ? String(member) : `${path}.${member}`);

/** An object whose members follow their rules; unknown members are ignored, as everywhere in the API (contract section 1). */
export function shape({ required = {}, optional = {} }: { readonly required?: Members; readonly optional?: Members }): Rule {
  const limits = Object.entries({ ...required, ...optional }).flatMap(([name, rule]) => (rule.limits ? [[name, rule.limits]] : []));
  return ruleWith({ properties: Object.fromEntries(limits) as Readonly<Record<string, Limits>> }, (value, path) => {
    if (value === undefined || value === null) return missing(path);
    if (!isObject(value)) return mistyped(path, 'object');
    return [
      ...Object.entries(required).flatMap(([name, rule]) => checkRequired(ownMember(value, name), rule, within(path, name))),
      ...Object.entries(optional).flatMap(([name, rule]) => {
        const member = ownMember(value, name);
        return member === undefined || member === null ? [] : rule(member, within(path, name));
      }),
    ];
  });
}

/** A list of `min` to `max` elements that follow one rule; `unique`: texts or numbers that all differ. */
export function listOf(
  rule: Rule,
  { min = 1, max, unique = false }: { readonly min?: number; readonly max: number; readonly unique?: boolean },
): Rule {
  const limits = { minItems: min, maxItems: max, ...(unique && { uniqueItems: true }), ...(rule.limits && { items: rule.limits }) };
  return ruleWith(limits, (value, path) => {
    if (!Array.isArray(value)) return mistyped(path, 'list');
    if (value.length < min) return problem(path, 'array_min_size', `must have at least ${min} ${min === 1 ? 'element' : 'elements'}`);
    if (value.length > max) return problem(path, 'array_max_size', `must have at most ${max} elements`);
    const problems = value.flatMap((element: unknown, index) => rule(element, within(path, index)));
    if (unique && new Set(value).size < value.length) problems.push(...problem(path, 'array_unique', 'must not contain an element twice'));
    return problems;
  });
}

export interface TextOptions {
  readonly min?: number;
  /** The maximum length in UTF-16 code units. */
  readonly max: number;
  readonly pattern?: RegExp;
  /** Describes a text that matches the pattern, as the end of a sentence. */
  readonly described?: string;
}

/** A text of `min` to `max` characters that matches a pattern. */
export function text({ min = 0, max, pattern, described = 'a text' }: TextOptions): Rule {
  const limits = { ...(min > 0 && { minLength: min }), maxLength: max, ...(pattern && { pattern: pattern.source }) };
  return ruleWith(limits, (value, path) => {
    if (typeof value !== 'string') return mistyped(path, 'text');
    if (value.length < min) return problem(path, 'min_length', `must have ${min} characters or more`);
    if (value.length > max) return problem(path, 'max_length', `must have ${max} characters or fewer`);
    return pattern === undefined || pattern.test(value) ? [] : problem(path, 'matches', `must be ${described}`);
  });
}

/** A whole number from `min` to the largest id. */
export const wholeNumber = (min: number): Rule =>
  ruleWith({ type: 'integer', minimum: min, maximum: MAX_ID }, (value, path) => {
    if (!Number.isInteger(value)) return mistyped(path, 'integer');
    return (value as number) >= min && (value as number) <= MAX_ID
      ? []
      : problem(path, 'is_int', `must be a whole number from ${min} to ${MAX_ID}`);
  });

/** One of these values, all of which are texts or all numbers. */
export function oneOf(values: readonly string[] | readonly number[]): Rule {
  const type = typeof values[0] === 'number' ? 'integer' : 'text';
  return (value, path) => {
    if (typeof value !== typeof values[0]) return mistyped(path, type);
    return (values as readonly unknown[]).includes(value) ? [] : problem(path, 'is_in', `must be one of ${values.join(', ')}`);
  };
}

/** The maximum size of all instructions of a subscription as JSON, in bytes: they are decrypted for each run. */
export const MAX_INSTRUCTIONS_BYTES = 65_536;

/** As many as fit: an element of a list takes at least two bytes. In the order of `anyJsonSchema`. */
const JSON_LIMITS: Limits = { oneOf: [{}, { maxItems: MAX_INSTRUCTIONS_BYTES / 2 }, { maxLength: MAX_INSTRUCTIONS_BYTES }] };

/** Any JSON value, including null. `1e999` is parsed as Infinity, which JSON cannot express, so it is rejected. */
export const anyJson: Rule = ruleWith(JSON_LIMITS, (value, path) => {
  if (typeof value === 'number' && !Number.isFinite(value)) return problem(path, 'is_finite', 'must be a finite number');
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => anyJson(inner, within(path, name)));
});

/** A JSON object with any members. */
export const jsonObject: Rule = (value, path) => (isObject(value) ? anyJson(value, path) : mistyped(path, 'object'));

/** A value that follows `rule` and has at most `maxBytes` as JSON. */
export const limitedTo = (maxBytes: number, rule: Rule): Rule =>
  ruleWith(rule.limits, (value, path) => {
    const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
    return bytes > maxBytes ? [tooLarge(path, maxBytes, bytes)] : rule(value, path);
  });

/** The members with these names that have a value, in the order in which they were sent. */
export function pickMembers<Of extends object>(value: Of, names: readonly (keyof Of & string)[]): Of {
  const wanted: readonly string[] = names;
  return Object.fromEntries(
    Object.entries(value).filter(([name, member]) => wanted.includes(name) && member !== null && member !== undefined),
  ) as Of;
}

/** Null counts as absent, except where it is a valid value. */
function checkRequired(member: unknown, rule: Rule, path: string): FieldProblem[] {
  if (member === undefined) return missing(path);
  const problems = rule(member, path);
  return member === null && problems.length > 0 ? missing(path) : problems;
}

const missing = (path: string): FieldProblem[] => problem(path, 'required', 'is required');

/** Ignores what an object inherits from its prototype. */
const ownMember = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;
