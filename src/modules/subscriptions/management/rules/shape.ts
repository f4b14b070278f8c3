import { isObject } from './is-object.js';
import { problem, type Rule, within } from './rule.js';

/** The members of an object and the rule of each. */
export type Members = Readonly<Record<string, Rule>>;

export interface ShapeOptions {
  readonly required?: Members;
  /** Absent and null are the same. */
  readonly optional?: Members;
  /** What it is, for people: `an https instruction`. Without it unknown members are ignored. */
  readonly strict?: string;
}

/** An object whose members follow their rules. */
export function shape({ required = {}, optional = {}, strict }: ShapeOptions): Rule {
  const known = [...Object.keys(required), ...Object.keys(optional)];
  return (value, path) => {
    if (!isObject(value)) return problem(path, 'is_object', 'must be an object');
    const unknown = strict === undefined ? [] : Object.keys(value).filter((name) => !known.includes(name));
    return [
      ...Object.entries(required).flatMap(([name, rule]) => rule(memberOf(value, name), within(path, name))),
      ...Object.entries(optional).flatMap(([name, rule]) => {
        const member = memberOf(value, name);
        return member === undefined || member === null ? [] : rule(member, within(path, name));
      }),
      ...unknown.flatMap((name) =>
        problem(within(path, name), 'unknown_member', `is not known; ${strict} has ${known.join(', ')} and nothing else`),
      ),
    ];
  };
}

/** Nothing of a prototype. */
const memberOf = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;
