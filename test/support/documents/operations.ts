import { readFileSync } from 'node:fs';
import path from 'node:path';

/** As much of a schema of OpenAPI (3.0 and 3.1) as tests read. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly example?: unknown;
}

/** An operation of openapi.json. */
export interface Operation {
  /** For example `PUT /v5/format/{id}`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Of its JSON body; null: it takes none. */
  readonly body: Schema | null;
  /** The documented status codes. */
  readonly statuses: readonly string[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface DocumentedOperation {
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const document = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../openapi.json'), 'utf8')) as Document;

/** All of them. */
export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([url, methods]) =>
  Object.entries(methods)
    .filter(([method]) => METHODS.includes(method))
    .map(([method, { parameters = [], requestBody, responses }]) => ({
      name: `${method.toUpperCase()} ${url}`,
      method: method.toUpperCase(),
      path: url,
      parameters,
      body: requestBody?.content?.['application/json']?.schema ?? null,
      statuses: Object.keys(responses),
    })),
);

/** A schema without references and `allOf`. */
export function resolve(schema: Schema): Schema {
  const { $ref, allOf, ...own } = schema;
  const parts = [...($ref ? [document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}] : []), ...(allOf ?? [])].map(resolve);
  const all = [...parts, own];
  const properties: Record<string, Schema> = Object.assign({}, ...all.map((part) => part.properties ?? {}));
  return {
    ...(Object.assign({}, ...all) as Schema),
    ...(Object.keys(properties).length > 0 && { properties }),
    required: all.flatMap(({ required = [] }) => required),
  };
}

/** The types of JSON that a schema accepts; null: every type. */
export function typesOf(schema: Schema): ReadonlySet<string> | null {
  const { type, nullable, oneOf, anyOf, enum: choices } = resolve(schema);
  const variants = oneOf ?? anyOf;
  const ofVariants = variants?.map(typesOf) ?? [];
  if (ofVariants.includes(null)) return null;
  const own = type === undefined ? [] : [type].flat();
  const all = new Set([...own, ...ofVariants.flatMap((types) => [...(types ?? [])]), ...(nullable ? ['null'] : [])]);
  if (choices?.includes(null)) all.add('null');
  return own.length === 0 && !variants ? null : all;
}

/** The least that a schema accepts: an example if it has one, else what is required. */
export function leastOf(given: Schema): unknown {
  const schema = resolve(given);
  const { example = schema.examples?.[0], const: constant, enum: choices, items, oneOf, anyOf } = schema;
  if (constant !== undefined) return constant;
  if (example !== undefined) return example;
  const [variant] = oneOf ?? anyOf ?? [];
  if (variant) return leastOf(variant);
  if (choices) return choices[0];
  const types = typesOf(schema);
  if (types?.has('array')) return items ? [leastOf(items)] : [];
  if (schema.properties || types?.has('object')) return leastObjectOf(schema);
  if (types?.has('string')) return schema.format === 'date-time' ? '2030-01-31T18:00:00Z' : 'text';
  return types?.has('boolean') ? true : 1;
}

const leastObjectOf = (schema: Schema): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set(schema.required ?? [])].map((name) => {
      const property = schema.properties?.[name];
      return [name, property ? leastOf(property) : 'text'];
    }),
  );

/** A field of a body, at any depth. */
export interface Place {
  /** In dots, as errors name it; of lists the first element. */
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** A body with as little as possible beside this value at this place; without a value the place is left out. */
  readonly bodyWith: (value?: { readonly is: unknown }) => unknown;
}

/** Every field of a schema, also of each variant that an object of it can have. `complete` adds what the schema does not say. */
export function placesOf(given: Schema, complete: (least: unknown) => unknown = (least) => least): Place[] {
  const schema = resolve(given);
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return variants.flatMap((variant) => placesOf(variant, complete));
  if (schema.items) return placesOf(schema.items, complete).map((place) => inside(place, '0', (element) => [element]));
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const put = (value: unknown) => ({ ...(complete(leastObjectOf(schema)) as object), [name]: value });
    const without = () => Object.fromEntries(Object.entries(put(undefined)).filter(([other]) => other !== name));
    const own: Place = {
      path: name,
      schema: property,
      isRequired: schema.required?.includes(name) ?? false,
      bodyWith: (value) => (value ? put(value.is) : without()),
    };
    return [own, ...placesOf(property, complete).map((place) => inside(place, name, put))];
  });
}

const inside = (place: Place, name: string, wrap: (value: unknown) => unknown): Place => ({
  ...place,
  path: `${name}.${place.path}`,
  bodyWith: (value) => wrap(place.bodyWith(value)),
});
