// Writes src/generated/ from openapi.json: the types of all operations, and the limits and enumerations of all inputs, and examples of events. They are not in the repository:
// each build generates them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const folder = new URL('src/generated/', import.meta.url);
const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));

/** Members that become comments. To keep the package small, only the summaries of operations are included; the document has the others. */
const PROSE = new Set(['example', 'examples', 'description', 'format']);

const withoutProse = (value, name = '') => {
  if (Array.isArray(value)) return value.map((one) => withoutProse(one));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => name === 'properties' || !PROSE.has(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutProse(one, key)]));
};

/** Without error responses, because calls throw them as ProblemError. */
const withoutRefusals = (document) => {
  for (const item of [...Object.values(document.paths), ...Object.values(document.webhooks ?? {})]) {
    for (const operation of Object.values(item).filter(({ responses }) => responses)) {
      const kept = Object.entries(operation.responses).filter(([status]) => !/^[45]/.test(status));
      operation.responses = Object.fromEntries(kept);
    }
  }
  return document;
};

const LIMITS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum'];

/** Those of each required text and each id. */
const isCommon = ([name, value]) => (/^min/.test(name) && value <= 1) || (name === 'maximum' && value >= 2 ** 31 - 1);

const limitsOf = (schema) => {
  const stated = LIMITS.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]]);
  return stated.every(isCommon) ? undefined : Object.fromEntries(stated.filter((limit) => !isCommon(limit)));
};

/** What `read` finds in fields; of the items of an array as `tags[]`. Fields of other schemas are stated with those. */
function ofFields(properties, read) {
  const found = Object.entries(properties).flatMap(([name, field]) => [
    [name, read(field)],
    [`${name}[]`, read(field.items ?? {})],
  ]);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** What `read` finds in each input: the schemas of bodies by their names, and the query parameters of operations by method and path. */
function ofInputs(read) {
  const bodies = Object.entries(document.components.schemas).filter(([name, { properties }]) => name.endsWith('Dto') && properties);
  const inputs = bodies.map(([name, { properties }]) => [name, properties]);
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, { parameters = [] }] of Object.entries(item)) {
      const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name, schema }) => [name, schema]);
      inputs.push([`${method.toUpperCase()} ${path}`, Object.fromEntries(query)]);
    }
  }
  const tables = inputs.map(([name, properties]) => [name, ofFields(properties, read)]);
  return tables.filter(([, fields]) => Object.keys(fields).length > 0);
}

/** The example of each webhook: its method, and its payload with the first example of each member. */
function eventExamples() {
  const { schemas } = document.components;
  const named = ({ $ref }) => schemas[$ref.split('/').at(-1)];
  return Object.entries(document.webhooks).map(([name, { post }]) => {
    const { method, payload } = named(post.requestBody.content['application/json'].schema).properties;
    const members = Object.entries(named(payload).properties).map(([member, { examples }]) => [member, examples[0]]);
    return [name, { method: method.enum[0], payload: Object.fromEntries(members) }];
  });
}

/** Writes an object with a line for each key. */
function write(name, comment, entries) {
  const lines = entries.map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},`);
  writeFileSync(new URL(`${name}.ts`, folder), [`/** ${comment} */`, `export const ${name} = {`, ...lines, '} as const;', ''].join('\n'));
}

const withoutNull = (values) => values?.filter((value) => value !== null);
const ADDRESS = 'by schema (or method and path) and field';

mkdirSync(folder, { recursive: true });
write(
  'limits',
  `The limits of inputs, ${ADDRESS}, in characters, items or units of the field; of items as \`tags[]\`.`,
  ofInputs(limitsOf),
);
write(
  'enumerations',
  `The values that fields of inputs can have, ${ADDRESS}; of items as \`grantTypes[]\`.`,
  ofInputs((field) => withoutNull(field.enum)),
);
write('events', 'An example of each event: what a webhook sends, and a subscription can depend on.', eventExamples());
writeFileSync(new URL('api.ts', folder), astToString(await openapiTS(withoutRefusals(withoutProse(document)))));
