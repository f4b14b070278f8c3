import { type ValueType, valueTypes } from '../../../shared/validation/index.js';
import type { ItemProblem } from '../batches/upload-batch.entity.js';

/** Why an item is refused. */
export type Problem = Pick<ItemProblem, 'code' | 'message'>;

export const problem = (code: string, message: string): Problem => ({ code, message });

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are not allowed in a name
export const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Checks the presence and the type of a required field. */
export const required = (name: string, value: unknown, type: ValueType): Problem | null =>
  isAbsent(value) ? problem('required', `${name} is required.`) : optional(name, value, type);

/** Checks the type of an optional field; null counts as absent. */
export const optional = (name: string, value: unknown, type: ValueType): Problem | null =>
  isAbsent(value) || valueTypes[type].accepts(value) ? null : problem('type', `${name} ${valueTypes[type].words}.`);

/** Whether a value is a text of at most this many characters. */
export const isText = (value: unknown, characters: number): boolean => typeof value === 'string' && value.length <= characters;
