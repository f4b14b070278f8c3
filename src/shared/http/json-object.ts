import { generalErrors } from '../errors.js';

export type JsonObject = Record<string, unknown>;

/** Returns a parsed body as an object, empty if there is none. Throws `validation_failed` if it is not an object. */
export function asJsonObject(body: unknown): JsonObject {
  const object = body ?? {};
  if (typeof object === 'object' && !Array.isArray(object)) return object as JsonObject;
  throw generalErrors.validation_failed('The request body must be a JSON object.', {
    errors: [{ path: '', code: 'is_object', message: 'must be a JSON object' }],
  });
}

/** Names of members that every object has; no class of an input has such a member. */
const PROTOTYPE_NAMES = ['__proto__', 'prototype', 'constructor'];

/** Parsed JSON bodies. Their lists have no gaps, and none of their members is named `__proto__` (searchUnreadable). */
const clean = new WeakSet<object>();

/** Marks a body as parsed from JSON and searched. */
export function markClean(body: unknown): void {
  if (isObjectOrArray(body)) for (const member of Object.values(body)) if (isObjectOrArray(member)) clean.add(member);
}

/** The parts of an input that may contain the name `__proto__` or lists with gaps: those that were not parsed from JSON. */
export function uncleanPartsOf(input: unknown): readonly unknown[] {
  if (!isObjectOrArray(input) || Array.isArray(input)) return [input];
  for (const name of PROTOTYPE_NAMES) if (Object.hasOwn(input, name)) delete input[name];
  return Object.values(input).filter((member) => isObjectOrArray(member) && !clean.has(member));
}

const isObjectOrArray = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;
