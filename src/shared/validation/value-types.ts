import { ValidateBy, type ValidationOptions } from 'class-validator';
import type { FieldProblem } from '../errors.js';
import { isObject } from './json-members.js';

/** What a field may be as JSON, before any rule about its content. */
export type ValueType = 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'object' | 'integerOrText' | 'listOrObject';

const isText = (value: unknown): boolean => typeof value === 'string';
const isList = (value: unknown): boolean => Array.isArray(value);
const isNumber = (value: unknown): boolean => Number.isFinite(value); // `1e400` is read as Infinity

interface TypeRule {
  readonly accepts: (value: unknown) => boolean;
  /** The end of a sentence about a field. */
  readonly words: string;
}

export const valueTypes: Readonly<Record<ValueType, TypeRule>> = {
  text: { accepts: isText, words: 'must be a text' },
  integer: { accepts: (value) => Number.isInteger(value), words: 'must be a whole number' },
  number: { accepts: isNumber, words: 'must be a number' },
  boolean: { accepts: (value) => typeof value === 'boolean', words: 'must be true or false' },
  list: { accepts: isList, words: 'must be a list' },
  object: { accepts: isObject, words: 'must be an object' },
  integerOrText: { accepts: (value) => isText(value) || Number.isInteger(value), words: 'must be a whole number or a text' },
  listOrObject: { accepts: (value) => isList(value) || isObject(value), words: 'must be a list or an object' },
};

/** The type that a rule of class-validator presupposes. */
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

/** For a rule of our own (`ValidateBy`): the type that it presupposes. */
export const presupposes = (valueType: ValueType): ValidationOptions => ({ context: { valueType } });

/** Says what is wrong with a value, down to its last member; paths are relative to it, '' is the value itself. */
export type ProblemFinder = (value: unknown) => readonly FieldProblem[];

/** A rule of our own that knows itself what is wrong where. */
export const ValidateDeeply = (name: string, find: ProblemFinder): PropertyDecorator =>
  ValidateBy({ name, validator: { validate: (value: unknown) => find(value).length === 0 } }, { context: { find } });

/** What such a rule finds wrong; null: it is another rule. */
export const finderOf = (context: unknown): ProblemFinder | null => ((context ?? {}) as { readonly find?: ProblemFinder }).find ?? null;

/** The type that a rule presupposes; null: it says nothing about the type. */
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
