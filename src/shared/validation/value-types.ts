import { ValidateBy, type ValidationOptions } from 'class-validator';
import type { FieldProblem } from '../errors.js';
import { isObject } from './json-members.js';
import type { Limits, LimitsContext } from './limits.js';

/** The JSON types that a field may require, before rules about its content. */
export type ValueType = 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'object' | 'integerOrText' | 'listOrObject';

const isText = (value: unknown): boolean => typeof value === 'string';
const isList = (value: unknown): boolean => Array.isArray(value);
const isNumber = (value: unknown): boolean => Number.isFinite(value); // `1e400` is read as Infinity

interface TypeRule {
  readonly accepts: (value: unknown) => boolean;
  /** The end of a sentence about the field. */
  readonly words: string;
}

export const valueTypes: Readonly<Record<ValueType, TypeRule>> = {
  text: { accepts: isText, words: 'must be a string' },
  integer: { accepts: (value) => Number.isInteger(value), words: 'must be a whole number' },
  number: { accepts: isNumber, words: 'must be a number' },
  boolean: { accepts: (value) => typeof value === 'boolean', words: 'must be true or false' },
  list: { accepts: isList, words: 'must be a list' },
  object: { accepts: isObject, words: 'must be an object' },
  integerOrText: { accepts: (value) => isText(value) || Number.isInteger(value), words: 'must be a whole number or a text' },
  listOrObject: { accepts: (value) => isList(value) || isObject(value), words: 'must be a list or an object' },
};

/** The type that a rule of class-validator requires. */
const TYPE_OF_RULE: Readonly<Record<string, ValueType>> = {
  isString: 'text',
  isNotEmpty: 'text',
  matches: 'text',
  minLength: 'text',
  maxLength: 'text',
  isUuid: 'text',
  isInt: 'integer',
  isNumber: 'number',
  min: 'number',
  max: 'number',
  isBoolean: 'boolean',
  isArray: 'list',
  arrayMinSize: 'list',
  arrayMaxSize: 'list',
  arrayUnique: 'list',
  isObject: 'object',
};

/** Options for a custom rule (`ValidateBy`): the type that it requires, and the limits that it checks. */
export const presupposes = (valueType: ValueType, limits: Limits = {}): ValidationOptions => ({
  context: { valueType, limits: () => limits } satisfies LimitsContext & { valueType: ValueType },
});

/** Finds problems of a value at any depth; paths are relative to the value, and '' is the value itself. */
export type ProblemFinder = (value: unknown) => readonly FieldProblem[];

/** A custom rule that reports its own problems and their paths, and the limits that it checks. */
export const ValidateDeeply = (name: string, find: ProblemFinder, limits: Limits = {}): PropertyDecorator =>
  ValidateBy({ name, validator: { validate: (value: unknown) => find(value).length === 0 } }, { context: { find, limits: () => limits } });

/** The problem finder of such a rule; null for other rules. */
export const finderOf = (context: unknown): ProblemFinder | null => ((context ?? {}) as { readonly find?: ProblemFinder }).find ?? null;

/** The type that a rule requires; null if it does not depend on the type. */
export function typeOfRule(rule: { readonly name: string; readonly constraints?: unknown; readonly context?: unknown }): ValueType | null {
  const { valueType } = (rule.context ?? {}) as { readonly valueType?: ValueType };
  if (valueType) return valueType;
  return rule.name === 'isIn' ? typeOfChoices(rule.constraints) : (TYPE_OF_RULE[rule.name] ?? null);
}

function typeOfChoices(constraints: unknown): ValueType | null {
  const [choices = []] = constraints as readonly (readonly unknown[] | undefined)[];
  const candidates = ['text', 'integer', 'boolean'] as const;
  return candidates.find((type) => choices.every(valueTypes[type].accepts)) ?? null;
}
