import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { INPUT } from '../shared/http/index.js';
import { addInputs } from './add-inputs.js';

const number = { type: 'number' };
const schemas = {
  UpdateDto: { type: 'object', properties: { id: number, name: { type: 'string', nullable: true } }, required: ['id'] },
  ChangesDto: { type: 'object', properties: { name: { type: 'string' } } },
  FindDto: { type: 'object', properties: { id: number, range: { $ref: '#/components/schemas/RangeDto' } } },
  RangeDto: { type: 'object', properties: { from: number } },
};

/** The only operation of a document, described. */
function describedOperation(method: 'get' | 'put' | 'delete', path: string, operation: object) {
  const document = { paths: { [path]: { [method]: { responses: {}, ...operation } } }, components: { schemas: structuredClone(schemas) } };
  addInputs(document as unknown as OpenAPIObject);
  return document.paths[path]?.[method] as Record<string, unknown>;
}

const reads = (schema: string, names: Record<string, string> = {}) => ({ [INPUT]: { schema, names, integers: ['id'] } });
const bodyOf = (schema: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } });

describe('the description of an input', () => {
  it('consists of query parameters for reads; an object is written as name[member]', () => {
    expect(describedOperation('get', '/things', reads('FindDto')).parameters).toEqual([
      { name: 'id', in: 'query', required: false, schema: { type: 'integer' } },
      {
        ...{ name: 'range', in: 'query', required: false, style: 'deepObject', explode: true },
        schema: { $ref: '#/components/schemas/RangeDto' },
      },
    ]);
  });

  it('has a path parameter under its name in the path, and query parameters for the rest of a deletion', () => {
    const { parameters } = describedOperation('delete', '/things/{thing}', reads('UpdateDto', { thing: 'id' }));
    expect(parameters).toEqual([
      { name: 'thing', in: 'path', required: true, schema: { type: 'integer' } },
      { name: 'name', in: 'query', required: false, schema: { type: 'string' } },
    ]);
  });

  it('is the body where something is changed, which is required when a member of it is', () => {
    expect(describedOperation('put', '/things', reads('UpdateDto')).requestBody).toEqual({ required: true, content: bodyOf('UpdateDto') });
    const named = { ...reads('UpdateDto'), requestBody: { content: bodyOf('ChangesDto') } };
    const { requestBody } = describedOperation('put', '/things/{id}', named);
    expect(requestBody).toEqual({ required: false, content: bodyOf('ChangesDto') });
  });

  it('keeps the description of a decorator', () => {
    const declared = { parameters: [{ name: 'id', in: 'query', description: 'Only this one.', schema: { type: 'string' } }] };
    expect(describedOperation('get', '/things', { ...reads('FindDto'), ...declared }).parameters).toContainEqual(
      expect.objectContaining({ name: 'id', description: 'Only this one.', schema: { type: 'integer' } }),
    );
  });

  it('is refused when a body would lack a member, or when the path fills a part of it and the rest has no class', () => {
    const lacking = { ...reads('UpdateDto'), requestBody: { content: bodyOf('ChangesDto') } };
    expect(() => describedOperation('put', '/things', lacking)).toThrow('put /things: the class of @ApiBody lacks id of UpdateDto.');
    expect(() => describedOperation('put', '/things/{id}', reads('UpdateDto'))).toThrow('name the class of the rest with @ApiBody');
  });
});
