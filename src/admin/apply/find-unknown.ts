import type { Problem } from './problem.js';

/** A typo must not be ignored: every member of `given` that is none of the known ones. `prefix` is the path before its name. */
export function findUnknown(given: object, known: readonly string[], { kind, prefix }: { kind: string; prefix: string }): Problem[] {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  return unknown.map((name) => ({ path: `${prefix}${name}`, message: `is not a known ${kind}; known are ${known.join(', ')}` }));
}
