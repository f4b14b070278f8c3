import { types } from 'node:util';

/** Whether it is an error, also one of Node's own that was made outside of the sandbox in which tests run. */
export const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value);
