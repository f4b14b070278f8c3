import type { OpenAPIObject } from '@nestjs/swagger';
import type { Limits } from '../shared/validation/index.js';

export type Schema = Exclude<NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string], { $ref: string }>;

export const SCHEMAS = '#/components/schemas/';

/** Adds what the validation rules check to a schema and to the schemas that it refers to. The rules are the only source of these keywords. */
export function addLimits(document: OpenAPIObject, referring: Schema, limits: Limits): void {
  const schema = resolve(document, referring);
  const { properties = {}, items, additionalProperties, oneOf = [], type, ...keywords } = limits;
  Object.assign(schema, keywords);
  if (type && schema.type === 'number') schema.type = type; // the compiler plugin only knows that it is a number
  for (const [name, one] of Object.entries(properties)) addTo(document, schema.properties?.[name], one);
  for (const [index, one] of oneOf.entries()) addTo(document, schema.oneOf?.[index], one);
  addTo(document, schema.items, items);
  addTo(document, schema.additionalProperties, additionalProperties);
}

function addTo(document: OpenAPIObject, schema: unknown, limits: Limits | undefined): void {
  if (limits && typeof schema === 'object' && schema !== null) addLimits(document, schema as Schema, limits);
}

/** The schema itself, or the one that it refers to; @nestjs/swagger writes a reference with siblings as `allOf`. */
function resolve({ components }: OpenAPIObject, schema: Schema & { readonly $ref?: string }): Schema {
  const [only, ...more] = schema.allOf ?? [];
  const { $ref } = only && more.length === 0 ? (only as { readonly $ref?: string }) : schema;
  return $ref === undefined ? schema : (components?.schemas?.[$ref.slice(SCHEMAS.length)] as Schema);
}
