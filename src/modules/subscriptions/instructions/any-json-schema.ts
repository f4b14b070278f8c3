const types = [
  { type: 'object' as const, additionalProperties: true },
  { type: 'array' as const, items: {} },
  { type: 'string' as const },
  { type: 'number' as const },
  { type: 'boolean' as const },
];

/** The schema of any JSON value; without it, the OpenAPI document would declare an object. */
export const anyJsonSchema = { oneOf: types, nullable: true };
