/** The only file that uses undocumented parts of class-transformer. Check it first when class-transformer is updated. */
import { createRequire } from 'node:module';
import { getMetadataStorage } from 'class-validator';

type Transform = (
  ...args: [source: unknown, value: unknown, target?: unknown, arrayType?: unknown, isMap?: boolean, level?: number]
) => unknown;
type GetKeys = (target: (new () => object) | undefined, object: Record<string, unknown>, isMap: boolean) => string[];

interface Executor {
  transform: Transform;
  getKeys: GetKeys;
}

const MANY_MEMBERS = 1_000; // more members than any class of this service has

let isDone = false;

/**
 * Makes the cost of converting a body to its class depend on the class's members instead of the input: values without a class are passed on
 * unchanged instead of being copied member by member, and of thousands of members only those of the class are read. The library compares
 * every name with every other one, which takes minutes for a few hundred thousand. The rules of each class are read once.
 */
export function handOnPlainValues(): void {
  if (isDone) return;
  isDone = true;
  rememberRules();
  const require = createRequire(import.meta.url);
  const { TransformOperationExecutor } = require('class-transformer/cjs/TransformOperationExecutor.js') as {
    TransformOperationExecutor: { prototype: Executor };
  };
  const { prototype } = TransformOperationExecutor;
  const { transform, getKeys } = prototype;
  prototype.transform = function (source, value, target, arrayType, isMap, level = 0) {
    const isPlain = level > 0 && target === undefined && arrayType === undefined && isMap !== true && source === undefined;
    return isPlain ? value : transform.call(this, source, value, target, arrayType, isMap, level);
  };
  prototype.getKeys = function (target, object, isMap) {
    const names = Object.keys(object);
    if (target === undefined) return getKeys.call(this, target, object, isMap);
    // A member named `constructor` would hide the class of the instance.
    if (names.length <= MANY_MEMBERS) return getKeys.call(this, target, object, isMap).filter((name) => !(name in Object.prototype));
    return names.filter((name) => knownTo(target).has(name));
  };
}

/**
 * Makes class-validator read the rules of a class once. The library searches all classes that have rules for the ancestors of the class, for each
 * object it validates, which takes as long as the rest of the validation. No class gets rules after its first validation.
 */
function rememberRules(): void {
  const storage = getMetadataStorage();
  const read = storage.getTargetValidationMetadatas.bind(storage);
  const known = new WeakMap<object, ReturnType<typeof read>>();
  storage.getTargetValidationMetadatas = (type, schema, always, strictGroups, groups) => {
    if (schema || always || strictGroups || groups) return read(type, schema, always, strictGroups, groups);
    const rules = known.get(type) ?? read(type, schema, always, strictGroups, groups);
    known.set(type, rules);
    return rules;
  };
}

const members = new WeakMap<object, ReadonlySet<string>>();

/** The members that have a rule; others are dropped anyway (`whitelist`). */
function knownTo(target: new () => object): ReadonlySet<string> {
  const known =
    members.get(target) ??
    new Set(
      getMetadataStorage()
        .getTargetValidationMetadatas(target, '', false, false)
        .map((rule) => rule.propertyName),
    );
  members.set(target, known);
  return known;
}

const listLimits = new WeakMap<object, ReadonlyMap<string, number>>();

/** The limits of the lists of a class (`@ArrayMaxSize`), by member. */
function listLimitsOf(type: new () => object): ReadonlyMap<string, number> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const limits =
    listLimits.get(type) ??
    new Map(rules.filter(({ name }) => name === 'arrayMaxSize').map((rule) => [rule.propertyName, Number(rule.constraints[0])]));
  listLimits.set(type, limits);
  return limits;
}

/**
 * Returns the members of an object with lists that exceed the limit of their class cut to one element more, so that they are refused for their
 * length, and rules about elements, of which some compare each with every other one, never see more.
 */
export function withShortLists(object: object, type: new () => object): object {
  const long = [...listLimitsOf(type)].flatMap(([name, limit]) => {
    const value: unknown = Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;
    return Array.isArray(value) && value.length > limit + 1 ? [[name, value.slice(0, limit + 1)] as const] : [];
  });
  return long.length === 0 ? object : { ...object, ...Object.fromEntries(long) };
}
