import type { FieldProblem } from '../../../../shared/errors/index.js';
import { type ValueType, valueTypes } from '../../../../shared/validation/index.js';

/** What is wrong with a value that came from outside; `path` in dots says where it stood. Nothing is: an empty list. */
export type Rule = (value: unknown, path: string) => FieldProblem[];

/** A list with one problem. */
export const problem = (path: string, code: string, message: string): FieldProblem[] => [{ path, code, message }];

/** What is said of a value of another type than this. */
export const mistyped = (path: string, type: ValueType): FieldProblem[] => problem(path, 'type', valueTypes[type].words);

/** The path of a member of what stands at `path`. */
export const within = (path: string, member: string | number): string => (path === '' ? String(member) : `${path}.${member}`);
