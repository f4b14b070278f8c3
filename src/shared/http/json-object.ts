import { generalErrors } from '../errors/index.js';

export type JsonObject = Record<string, unknown>;

/** A body that was parsed; nothing is as good as an empty object. Throws `validation_failed` when it is something else than an object. */
export function asJsonObject(body: unknown): JsonObject {
  const object = body ?? {};
  if (typeof object === 'object' && !Array.isArray(object)) return object as JsonObject;
  throw generalErrors.validation_failed('The request body must be a JSON object.', {
    errors: [{ path: '', code: 'is_object', message: 'must be a JSON object' }],
  });
}
