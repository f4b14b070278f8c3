import type { FieldProblem } from '../../../../shared/errors/index.js';
import { isObject } from '../../instructions/is-object.js';
import { mistyped, problem, type Rule, within } from './rule.js';

/** The members of an object and the rule of each. */
export type Members = Readonly<Record<string, Rule>>;

export interface ShapeOptions {
  readonly required?: Members;
  /** Absent and null are the same. */
  readonly optional?: Members;
}

/** An object whose members follow their rules; unknown members are ignored, as everywhere in the API (contract section 1). */
export function shape({ required = {}, optional = {} }: ShapeOptions): Rule {
  return (value, path) => {
    if (value === undefined || value === null) return missing(path);
    if (!isObject(value)) return mistyped(path, 'object');
    return [
      ...Object.entries(required).flatMap(([name, rule]) => ofRequired(memberOf(value, name), rule, within(path, name))),
      ...Object.entries(optional).flatMap(([name, rule]) => {
        const member = memberOf(value, name);
        return member === undefined || member === null ? [] : rule(member, within(path, name));
      }),
    ];
  };
}

/** Where null is not a value of its own it is the same as absent. */
function ofRequired(member: unknown, rule: Rule, path: string): FieldProblem[] {
  if (member === undefined) return missing(path);
  const problems = rule(member, path);
  return member === null && problems.length > 0 ? missing(path) : problems;
}

const missing = (path: string): FieldProblem[] => problem(path, 'required', 'is required');

/** Nothing of a prototype. */
const memberOf = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;
