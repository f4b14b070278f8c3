import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { toOpenApi31 } from './to-openapi-31.js';

const rewritten = (schema: object): unknown => {
  const document = { openapi: '3.0.0', components: { schemas: { Thing: schema } } } as unknown as OpenAPIObject;
  return toOpenApi31(document).components?.schemas?.Thing;
};

const $ref = '#/components/schemas/Other';
const NULL = { type: 'null' };

describe('a schema of OpenAPI 3.0 in OpenAPI 3.1', () => {
  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [{ type: 'string', nullable: false }, { type: 'string' }],
    [
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [{ type: 'object', allOf: [{ $ref }], nullable: true }, { oneOf: [{ $ref }, NULL] }],
    [
      { allOf: [{ $ref }], description: 'What it is.' },
      { $ref, description: 'What it is.' },
    ],
    [{ oneOf: [{ type: 'string' }, { $ref }], nullable: true }, { oneOf: [{ type: 'string' }, { $ref }, NULL] }],
    [{ nullable: true }, {}],
  ])('%j is %j', (schema, expected) => {
    expect(rewritten(schema)).toEqual(expected);
    expect(rewritten({ type: 'array', items: schema })).toEqual({ type: 'array', items: expected });
  });

  it('keeps two schemas that hold together', () => {
    const both = { allOf: [{ $ref }, { type: 'object' }] };
    expect(rewritten(both)).toEqual(both);
  });

  it('leaves the content of examples alone, and not members of these names', () => {
    const example = { nullable: true, example: 1 };
    const members = { default: { type: 'number', nullable: true, example }, example: { type: 'string', example: 'a' } };
    expect(rewritten({ type: 'object', properties: members })).toEqual({
      type: 'object',
      properties: { default: { type: ['number', 'null'], examples: [example] }, example: { type: 'string', examples: ['a'] } },
    });
  });

  it('has a list of examples, unlike the parameter that it describes', () => {
    const parameter = { name: 'id', in: 'query', example: 7, schema: { type: 'integer', example: 7 } };
    expect(toOpenApi31({ parameters: [parameter] } as unknown as OpenAPIObject)).toMatchObject({
      parameters: [{ name: 'id', in: 'query', example: 7, schema: { type: 'integer', examples: [7] } }],
    });
  });
});
