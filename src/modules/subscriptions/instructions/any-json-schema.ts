const types = [
  { type: 'object' as const, additionalProperties: true },
  { type: 'array' as const, items: {} },
  { type: 'string' as const },
  { type: 'number' as const },
  { type: 'boolean' as const },
];

/** Any JSON value, for the OpenAPI document, which would call it an object. */
export const anyJsonSchema = { oneOf: types, nullable: true };
