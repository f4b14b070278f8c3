import type { OpenAPIObject } from '@nestjs/swagger';

type Json = Record<string, unknown>;

/** Members that contain values, in which `nullable` is not a keyword. */
const VALUES = new Set(['example', 'examples', 'default', 'enum', 'const']);
const NULL = { type: 'null' };

/** Converts the OpenAPI 3.0 schemas of @nestjs/swagger to JSON Schema 2020-12, which OpenAPI 3.1 uses. */
export function toOpenApi31(document: OpenAPIObject): OpenAPIObject {
  return { ...(rewrite(document) as OpenAPIObject), openapi: '3.1.0' };
}

function rewrite(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewrite);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([name, value]) => [name, VALUES.has(name) ? value : rewriteMember(name, value)]);
  return withExamples(withoutNullable(withoutAllOf(Object.fromEntries(entries) as Json)));
}

/** The members of `properties` are named by the API, so names such as `default` are not keywords there. */
const rewriteMember = (name: string, value: unknown): unknown =>
  name === 'properties'
    ? Object.fromEntries(Object.entries(value as Json).map(([property, schema]) => [property, rewrite(schema)]))
    : rewrite(value);

/** In OpenAPI 3.1, `$ref` may have siblings, so an `allOf` around it is not needed. */
function withoutAllOf(node: Json): Json {
  const { allOf, type: _, ...rest } = node;
  const [only, ...more] = Array.isArray(allOf) ? (allOf as Json[]) : [];
  return only && more.length === 0 && '$ref' in only ? { ...only, ...rest } : node;
}

/** OpenAPI 3.1 has no `nullable`; null is a type. */
function withoutNullable(node: Json): Json {
  if (typeof node.nullable !== 'boolean') return node;
  const { nullable, ...schema } = node;
  if (!nullable) return schema;
  const { $ref, oneOf, ...rest } = schema;
  if ($ref) return { ...rest, oneOf: [{ $ref }, NULL] };
  if (Array.isArray(oneOf)) return { ...rest, oneOf: [...oneOf, NULL] };
  if (typeof schema.type !== 'string') return schema; // any value, including null
  return { ...schema, type: [schema.type, 'null'], ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }) };
}

/** `example` is deprecated in schemas; parameters, headers and bodies keep theirs beside their `schema`. */
function withExamples(node: Json): Json {
  if (!('example' in node) || 'schema' in node) return node;
  const { example, ...schema } = node;
  return { ...schema, examples: [example] };
}

const PREFIX = '#/components/schemas/';

/** Removes schemas that no operation or webhook references, such as input classes whose members all became parameters. */
export function removeUnusedSchemas({ paths, webhooks, components }: OpenAPIObject): void {
  const schemas = components?.schemas ?? {};
  const used = new Set<string>();
  const collect = (part: unknown): void => {
    for (const name of referencesIn(part)) {
      if (used.has(name)) continue;
      used.add(name);
      collect(schemas[name]);
    }
  };
  collect([paths, webhooks]);
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name];
}

const referencesIn = (part: unknown): string[] =>
  [...(JSON.stringify(part) ?? '').matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference.slice(PREFIX.length));
