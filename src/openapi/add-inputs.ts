import type { OpenAPIObject } from '@nestjs/swagger';
import { type DescribedInput, ERROR_CODES, INPUT } from '../shared/http/index.js';
import { ID_IN_BODY } from '../shared/resources/index.js';
import { limitsOf } from '../shared/validation/index.js';
import { addLimits, SCHEMAS, type Schema } from './add-limits.js';
import { type Operation, operationsOf, type PlacedOperation, takeExtension } from './operations.js';

type Property = NonNullable<Schema['properties']>[string];
type Parameter = Extract<NonNullable<Operation['parameters']>[number], { name: string }>;

/** Describes what `@Input()` reads from each request: path and query parameters, and the body. */
export function addInputs(document: OpenAPIObject): void {
  for (const placed of operationsOf(document)) {
    const summaryByBody = takeExtension<string>(placed.operation, ID_IN_BODY);
    if (summaryByBody !== undefined && !placed.path.includes('{')) leaveIdToBody(placed.operation, summaryByBody);
    const input = takeExtension<DescribedInput>(placed.operation, INPUT);
    if (!input) continue;
    const schema = schemaOf(document, `${SCHEMAS}${input.type.name}`);
    const inPath = new Map(
      [...placed.path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => [input.names[parameter] ?? parameter, parameter]),
    );
    const bodies = bodiesOf(document, placed.operation);
    for (const one of [schema, ...bodies]) addLimits(document, one, limitsOf(input.type));
    describe(placed, { schema, inPath, schemaName: input.type.name, bodies });
  }
}

/** The path without the id: the id's parameter, the class of the body beside it, and the error of two different ids belong to the other path. */
function leaveIdToBody(operation: Operation, summary: string): void {
  operation.summary = summary;
  operation.parameters = operation.parameters?.filter((one) => !('in' in one) || one.in !== 'path');
  delete operation.requestBody;
  const codes = takeExtension<readonly string[]>(operation, ERROR_CODES) ?? [];
  Object.assign(operation, { [ERROR_CODES]: codes.filter((code) => code !== 'id_mismatch') });
}

const schemaOf = ({ components }: OpenAPIObject, reference: string): Schema =>
  components?.schemas?.[reference.slice(SCHEMAS.length)] as Schema;

const bodiesOf = (document: OpenAPIObject, { requestBody }: Operation): Schema[] =>
  Object.values(requestBody && 'content' in requestBody ? requestBody.content : {}).flatMap(({ schema }) =>
    schema && '$ref' in schema ? [schemaOf(document, schema.$ref)] : [],
  );

interface Input {
  readonly schemaName: string;
  readonly schema: Schema;
  /** Parameter names by the input member that they fill. */
  readonly inPath: ReadonlyMap<string, string>;
  /** The classes that `@ApiBody` references. */
  readonly bodies: readonly Schema[];
}

function describe(placed: PlacedOperation, { schemaName, schema, inPath, bodies }: Input): void {
  const { method, path, operation } = placed;
  const required = new Set(schema.required);
  const properties = Object.entries(schema.properties ?? {});
  const rest = properties.filter(([member]) => !inPath.has(member));
  for (const [member, property] of properties) {
    const name = inPath.get(member);
    if (name !== undefined) setParameter(operation, parameter({ name, in: 'path', required: true }, property));
  }
  if (method === 'get' || (method === 'delete' && inPath.size > 0)) {
    for (const [name, property] of rest) setParameter(operation, parameter({ name, in: 'query', required: required.has(name) }, property));
  } else if (rest.length > 0) {
    if (bodies.length === 0 && rest.length < properties.length) {
      throw new Error(`${method} ${path}: the path fills a part of ${schemaName}; name the class of the rest with @ApiBody.`);
    }
    const lacking = rest.map(([member]) => member).filter((member) => bodies.some((body) => !body.properties?.[member]));
    if (lacking.length > 0) throw new Error(`${method} ${path}: the class of @ApiBody lacks ${lacking.join(', ')} of ${schemaName}.`);
    operation.requestBody = {
      ...(operation.requestBody ?? { content: { 'application/json': { schema: { $ref: `${SCHEMAS}${schemaName}` } } } }),
      required: rest.some(([member]) => required.has(member)),
    };
  }
}

/** The description in the handler's decorators is kept where the input class has none. */
function setParameter(operation: Operation, described: Parameter): void {
  const parameters = operation.parameters ?? [];
  const isSame = (one: (typeof parameters)[number]) => 'name' in one && one.name === described.name && one.in === described.in;
  const declared = parameters.find(isSame) as Parameter | undefined;
  operation.parameters = [...parameters.filter((one) => !isSame(one)), { ...declared, ...described }];
}

/** A query cannot express null, so null is omitted; an object is written as `name[member]`. */
function parameter(place: Pick<Parameter, 'name' | 'in' | 'required'>, property: Property): Parameter {
  const { description, deprecated, nullable: _, ...schema } = property as Schema;
  const style = '$ref' in schema || schema.allOf ? { style: 'deepObject' as const, explode: true } : {};
  return { ...place, ...(description && { description }), ...(deprecated && { deprecated }), ...style, schema };
}

/** Marks members as integers, because the compiler plugin only knows that they are numbers. */
function markIntegers({ properties = {} }: Schema, names: readonly string[]): void {
  for (const name of names) {
    const property = properties[name] as Schema | undefined;
    if (property?.type === 'number') property.type = 'integer';
    const items = property?.items as Schema | undefined;
    if (items?.type === 'number') items.type = 'integer';
  }
}

/** Marks numeric ids as integers, in requests and responses. */
export function markNumericIds({ components }: OpenAPIObject): void {
  for (const schema of Object.values(components?.schemas ?? {}) as Schema[]) {
    markIntegers(
      schema,
      Object.keys(schema.properties ?? {}).filter((name) => /^id$|Ids?$/.test(name)),
    );
  }
}
