import type { OpenAPIObject } from '@nestjs/swagger';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** An operation with its path and method. */
export interface PlacedOperation {
  readonly method: (typeof METHODS)[number];
  readonly path: string;
  readonly operation: Operation;
}

export const operationsOf = (document: OpenAPIObject): PlacedOperation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ method, path, operation: item[method] }] : [])),
  );

/** Reads an extension of an operation and removes it, because it is only used by this folder. */
export function takeExtension<Value>(operation: Operation, name: string): Value | undefined {
  const extended = operation as Operation & Record<string, Value | undefined>;
  const value = extended[name];
  delete extended[name];
  return value;
}
