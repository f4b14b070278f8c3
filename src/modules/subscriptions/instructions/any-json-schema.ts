/**
 * The schema of any JSON value; without it, the OpenAPI document would declare an object. A new object for each member, because src/openapi adds the
 * limits of the member to it.
 */
export const anyJsonSchema = () => ({
  oneOf: [
    { type: 'object' as const, additionalProperties: true },
    { type: 'array' as const, items: {} },
    { type: 'string' as const },
    { type: 'number' as const },
    { type: 'boolean' as const },
  ],
  nullable: true,
});
