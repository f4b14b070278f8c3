import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ArrayMaxSize, IsInt, Max, MaxLength, Min } from 'class-validator';
import { INPUT } from '../shared/http/index.js';
import { FollowsRule, Limited, NestedList, NestedObject, ValidateDeeply } from '../shared/validation/index.js';
import { addInputs } from './add-inputs.js';

class UpdateDto {
  @IsInt()
  id: number;

  @MaxLength(10)
  name?: string | null;
}

class RangeDto {
  @Max(9)
  @Min(1)
  from: number;
}

class FindDto {
  @IsInt()
  id: number;

  @NestedObject(() => RangeDto)
  range: RangeDto;
}

@FollowsRule({ limits: { properties: { ruled: { items: { maxLength: 3 } } } }, compile: () => () => [] })
class LimitedDto {
  @ArrayMaxSize(2)
  @MaxLength(5, { each: true })
  @IsInt({ each: true })
  list: unknown[];

  @NestedList(() => RangeDto)
  ranges: RangeDto[];

  @ValidateDeeply('isEither', () => [], { oneOf: [{ maxItems: 4 }, { maxLength: 5 }] })
  either: unknown;

  @Limited({ maxProperties: 6, additionalProperties: { maxLength: 7 } })
  map: Record<string, string>;

  ruled: string[];
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const list = (items: object) => ({ type: 'array', items });
const text = () => ({ type: 'string' });
const number = () => ({ type: 'number' });
const schemas = {
  LimitedDto: {
    type: 'object',
    properties: {
      list: list(number()),
      ranges: list(reference('RangeDto')),
      either: { oneOf: [list({}), text()] },
      map: { type: 'object', additionalProperties: text() },
      ruled: list(text()),
    },
  },
  UpdateDto: { type: 'object', properties: { id: number(), name: { type: 'string', nullable: true } }, required: ['id'] },
  ChangesDto: { type: 'object', properties: { name: { type: 'string' } } },
  FindDto: { type: 'object', properties: { id: number(), range: { $ref: '#/components/schemas/RangeDto' } } },
  RangeDto: { type: 'object', properties: { from: number() } },
};

/** The only operation of a document, described. */
function describedOperation(method: 'get' | 'put' | 'delete', path: string, operation: object) {
  return describedDocument(method, path, operation).paths[path]?.[method] as Record<string, unknown>;
}

function describedDocument(method: 'get' | 'put' | 'delete', path: string, operation: object) {
  const document = { paths: { [path]: { [method]: { responses: {}, ...operation } } }, components: { schemas: structuredClone(schemas) } };
  addInputs(document as unknown as OpenAPIObject);
  return document;
}

const reads = (type: new () => object, names: Record<string, string> = {}) => ({ [INPUT]: { type, names } });
const bodyOf = (schema: string) => ({ 'application/json': { schema: reference(schema) } });

describe('the description of an input', () => {
  it('consists of query parameters for reads; an object is written as name[member]', () => {
    expect(describedOperation('get', '/things', reads(FindDto)).parameters).toEqual([
      { name: 'id', in: 'query', required: false, schema: { type: 'integer' } },
      {
        ...{ name: 'range', in: 'query', required: false, style: 'deepObject', explode: true },
        schema: { $ref: '#/components/schemas/RangeDto' },
      },
    ]);
  });

  it('has a path parameter under its name in the path, and query parameters for the rest of a deletion', () => {
    const { parameters } = describedOperation('delete', '/things/{thing}', reads(UpdateDto, { thing: 'id' }));
    expect(parameters).toEqual([
      { name: 'thing', in: 'path', required: true, schema: { type: 'integer' } },
      { name: 'name', in: 'query', required: false, schema: { type: 'string', maxLength: 10 } },
    ]);
  });

  it('is the body where something is changed, which is required when a member of it is', () => {
    expect(describedOperation('put', '/things', reads(UpdateDto)).requestBody).toEqual({ required: true, content: bodyOf('UpdateDto') });
    const named = { ...reads(UpdateDto), requestBody: { content: bodyOf('ChangesDto') } };
    const { requestBody } = describedOperation('put', '/things/{id}', named);
    expect(requestBody).toEqual({ required: false, content: bodyOf('ChangesDto') });
  });

  it('keeps the description of a decorator', () => {
    const declared = { parameters: [{ name: 'id', in: 'query', description: 'Only this one.', schema: { type: 'string' } }] };
    expect(describedOperation('get', '/things', { ...reads(FindDto), ...declared }).parameters).toContainEqual(
      expect.objectContaining({ name: 'id', description: 'Only this one.', schema: { type: 'integer' } }),
    );
  });

  it('has the limits that its rules check, at any depth', () => {
    const { components } = describedDocument('put', '/things', reads(LimitedDto));
    expect(components.schemas.LimitedDto.properties).toEqual({
      list: { ...list({ type: 'integer', maxLength: 5 }), maxItems: 2 },
      ranges: { ...list(reference('RangeDto')), maxItems: 1_000 },
      either: {
        oneOf: [
          { ...list({}), maxItems: 4 },
          { ...text(), maxLength: 5 },
        ],
      },
      map: { type: 'object', maxProperties: 6, additionalProperties: { ...text(), maxLength: 7 } },
      ruled: list({ ...text(), maxLength: 3 }),
    });
    expect(components.schemas.RangeDto.properties).toEqual({ from: { ...number(), minimum: 1, maximum: 9 } });
  });

  it('has the same limits in the class of a body, which is a part of the input', () => {
    const { components } = describedDocument('put', '/things/{id}', {
      ...reads(UpdateDto),
      requestBody: { content: bodyOf('ChangesDto') },
    });
    expect(components.schemas.ChangesDto.properties).toEqual({ name: { type: 'string', maxLength: 10 } });
  });

  it('is refused when a body would lack a member, or when the path fills a part of it and the rest has no class', () => {
    const lacking = { ...reads(UpdateDto), requestBody: { content: bodyOf('ChangesDto') } };
    expect(() => describedOperation('put', '/things', lacking)).toThrow('put /things: the class of @ApiBody lacks id of UpdateDto.');
    expect(() => describedOperation('put', '/things/{id}', reads(UpdateDto))).toThrow('name the class of the rest with @ApiBody');
  });
});
