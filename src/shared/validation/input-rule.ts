import { getMetadataStorage } from 'class-validator';
import type { Config } from '../config/index.js';
import { type Limits, type LimitsContext, mergeLimits } from './limits.js';
import type { ProblemFinder } from './value-types.js';

/** A rule for an input as a whole, for what class-validator does not express. */
export interface InputRule {
  /** The limits that it checks, for OpenAPI. */
  readonly limits: Limits;
  /** Returns the function that checks inputs of an installation with this configuration. */
  compile(config: Config): ProblemFinder;
}

const rules = new WeakMap<object, InputRule>();

/** Checks inputs of this class by a rule as well; its problems are reported together with those of the members. */
export const FollowsRule =
  (rule: InputRule): ClassDecorator =>
  (type) =>
    void rules.set(type, rule);

/** The rule of an input class; undefined if it has none. */
export const ruleOf = (type: object): InputRule | undefined => rules.get(type);

/** The limits that the rules of class-validator check, by the name of the rule. */
const LIMITS_OF_RULE: Readonly<Record<string, (constraint: unknown) => Limits>> = {
  isInt: () => ({ type: 'integer' }),
  min: (minimum) => ({ minimum: Number(minimum) }),
  max: (maximum) => ({ maximum: Number(maximum) }),
  minLength: (minLength) => ({ minLength: Number(minLength) }),
  maxLength: (maxLength) => ({ maxLength: Number(maxLength) }),
  arrayMinSize: (minItems) => ({ minItems: Number(minItems) }),
  arrayMaxSize: (maxItems) => ({ maxItems: Number(maxItems) }),
  arrayUnique: () => ({ uniqueItems: true }),
};

/** Returns the limits of all members of an input class, at any depth, as its rules check them. */
export function limitsOf(type: new () => object): Limits {
  const members = getMetadataStorage()
    .getTargetValidationMetadatas(type, '', false, false)
    .map(({ name = '', constraints, each, context, propertyName }): Limits => {
      const [constraint] = (constraints ?? []) as readonly unknown[];
      const declared = (context as LimitsContext | undefined)?.limits?.() ?? {};
      const limits = mergeLimits(LIMITS_OF_RULE[name]?.(constraint) ?? {}, declared);
      return { properties: { [propertyName]: each ? { items: limits } : limits } };
    });
  return [...members, ruleOf(type)?.limits ?? {}].reduce(mergeLimits, {});
}
