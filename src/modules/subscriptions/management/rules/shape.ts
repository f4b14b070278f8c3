import { isObject } from '../../instructions/is-object.js';
import { problem, type Rule, within } from './rule.js';

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
    if (!isObject(value)) return problem(path, 'is_object', 'must be an object');
    return [
      ...Object.entries(required).flatMap(([name, rule]) => rule(memberOf(value, name), within(path, name))),
      ...Object.entries(optional).flatMap(([name, rule]) => {
        const member = memberOf(value, name);
        return member === undefined || member === null ? [] : rule(member, within(path, name));
      }),
    ];
  };
}

/** Nothing of a prototype. */
const memberOf = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;
