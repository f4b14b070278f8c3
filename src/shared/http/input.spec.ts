import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { type ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { DomainError } from '../errors.js';
import { Input, mismatchOf } from './input.js';

type Factory = (data: unknown, context: ExecutionContext) => unknown;

class Handlers {
  handle(@Input() _input: unknown): void {}
}

const [{ factory }] = Object.values(
  Reflect.getMetadata(ROUTE_ARGS_METADATA, Handlers, 'handle') as Record<string, { factory: Factory }>,
) as [{ factory: Factory }];

/** What a handler gets of a request. */
const read = (request: { method?: string; query?: object; body?: unknown; params?: object }, names?: Readonly<Record<string, string>>) =>
  factory(names, {
    switchToHttp: () => ({ getRequest: () => ({ query: {}, params: {}, ...request }) }),
  } as unknown as ExecutionContext);

const refusalOf = (...[request, names]: Parameters<typeof read>) => {
  try {
    return mismatchOf(read(request, names) as object)?.error.code ?? null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  }
};

describe('the input of an operation', () => {
  it('is query and body together; the body wins', () => {
    expect(read({ query: { a: '1', b: '2' }, body: { b: 3, c: 4 } })).toEqual({ a: '1', b: 3, c: 4 });
    expect(read({ query: { a: '1' } })).toEqual({ a: '1' });
    expect(read({ body: undefined })).toEqual({});
  });

  it('contains the path parameters, which must not be contradicted', () => {
    expect(read({ params: { id: '7' }, body: { name: 'a' } })).toEqual({ id: '7', name: 'a' });
    expect(read({ params: { id: '7' }, body: { id: 7 } })).toEqual({ id: '7' });
    expect(read({ params: { id: '7' }, query: { id: '7' } })).toEqual({ id: '7' });
    expect(refusalOf({ params: { id: '7' }, body: { id: 8 } })).toBe('id_mismatch');
    expect(refusalOf({ params: { id: '7' }, query: { id: '8' } })).toBe('id_mismatch');
    expect(refusalOf({ params: { id: '7' }, body: { id: null } })).toBe('id_mismatch');
  });

  it('leaves it to the rule of the field when the id in the body is of another type', () => {
    const hostile = { toString: 1, valueOf: 2 };
    expect(read({ params: { id: '7' }, body: { id: hostile } })).toEqual({ id: hostile });
    expect(read({ params: { id: '7' }, body: { id: [7] } })).toEqual({ id: [7] });
    expect(read({ params: { id: '7' }, body: { id: true } })).toEqual({ id: true });
  });

  it('of GET takes null in the body as absent', () => {
    expect(read({ method: 'GET', query: { limit: '7' }, body: { limit: null, cursor: null } })).toEqual({ limit: '7' });
    expect(read({ method: 'PUT', body: { name: null } })).toEqual({ name: null });
  });

  it('knows a parameter of the path under the name that it is given', () => {
    const names = { idOrTemplate: 'id' };
    expect(read({ params: { idOrTemplate: '7', other: 'a' }, body: { id: 7 } }, names)).toEqual({ id: '7', other: 'a' });
    expect(refusalOf({ params: { idOrTemplate: '7' }, body: { id: 8 } }, names)).toBe('id_mismatch');
  });

  it.each([[[]], [[{ a: 1 }]], ['text'], [7], [true], [null]])('is an object, so %j is refused', (body) => {
    expect(refusalOf({ body })).toBe(body === null ? null : 'validation_failed');
  });

  it('cannot change prototypes', () => {
    const input = read({ body: JSON.parse('{"__proto__":{"polluted":true},"constructor":{"a":1}}'), query: { a: '1' } }) as Record<
      string,
      unknown
    >;
    expect([({} as Record<string, unknown>).polluted, Object.getPrototypeOf(input) === Object.prototype]).toEqual([undefined, true]);
    expect(input.polluted).toBeUndefined();
  });
});
