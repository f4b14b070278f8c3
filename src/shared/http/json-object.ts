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

/** Member names that could change the prototype of an object into which they are copied. */
export const PROTOTYPE_NAMES = ['__proto__', 'prototype', 'constructor'];

/** Parsed JSON bodies without such names. Lists parsed from JSON have no gaps either. */
const clean = new WeakSet<object>();

/** Removes members with such names from a parsed JSON text, yielding after each object (`inTurns`). */
export function* removePrototypeNames(input: unknown): Generator<void, void> {
  const open = [input];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (!isObjectOrArray(value)) continue;
    if (!Array.isArray(value)) for (const name of PROTOTYPE_NAMES) delete value[name];
    for (const inner of Object.values(value)) if (isObjectOrArray(inner)) open.push(inner);
    yield;
  }
}

/** Marks a parsed JSON text as free of such names. */
export function markClean(body: unknown): void {
  if (isObjectOrArray(body)) for (const member of Object.values(body)) if (isObjectOrArray(member)) clean.add(member);
}

/** The parts of an input that may contain such names or lists with gaps: those that were not parsed from JSON. */
export function uncleanPartsOf(input: unknown): readonly unknown[] {
  if (!isObjectOrArray(input) || Array.isArray(input)) return [input];
  for (const name of PROTOTYPE_NAMES) if (Object.hasOwn(input, name)) delete input[name];
  return Object.values(input).filter((member) => isObjectOrArray(member) && !clean.has(member));
}

const isObjectOrArray = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;
