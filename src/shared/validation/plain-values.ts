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

const known = new WeakMap<object, ReadonlySet<string>>();
let isDone = false;

/**
 * Makes the cost of converting a body to its class depend on the class's members instead of the input: values without a class are passed on
 * unchanged instead of being copied member by member, and of thousands of members only those of the class are read. The library compares
 * every name with every other one, which takes minutes for a few hundred thousand.
 */
export function handOnPlainValues(): void {
  if (isDone) return;
  isDone = true;
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
    if (target === undefined || names.length <= MANY_MEMBERS) return getKeys.call(this, target, object, isMap);
    return names.filter((name) => knownTo(target).has(name));
  };
}

/** The members that have a rule; others are dropped anyway (`whitelist`). */
function knownTo(target: new () => object): ReadonlySet<string> {
  const rules =
    known.get(target) ??
    new Set(
      getMetadataStorage()
        .getTargetValidationMetadatas(target, '', false, false)
        .map((rule) => rule.propertyName),
    );
  known.set(target, rules);
  return rules;
}
