import type { FieldProblem } from '../../../../shared/errors/index.js';
import { isObject } from '../../instructions/is-object.js';
import { among } from './among.js';
import { problem, type Rule } from './rule.js';

const methods = among(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** What an instruction sends, and how. */
export interface Body {
  readonly method?: unknown;
  readonly payload?: unknown;
}

/** A method of HTTP in upper or lower case. */
export const methodRule: Rule = (value, path) => methods(typeof value === 'string' ? value.toUpperCase() : value, path);

/** A payload that would not be sent is a mistake of the author: GET has no body (RFC 9110 section 9.3.1). An empty one says nothing. */
export const checkBody = ({ method, payload }: Body, path: string): FieldProblem[] =>
  isGet(method) && payload !== undefined && payload !== null && !isEmpty(payload)
    ? problem(`${path}.payload`, 'no_payload', 'cannot be sent with GET; put it into the address')
    : [];

/** The members as they are kept: the method in upper case, and no payload with GET. */
export function normalizeBody<Of extends object>(instruction: Of): Of {
  const { method } = instruction as Body;
  return typeof method === 'string'
    ? { ...instruction, method: method.toUpperCase(), ...(isGet(method) && { payload: null }) }
    : instruction;
}

const isGet = (method: unknown): boolean => typeof method === 'string' && method.toUpperCase() === 'GET';

const isEmpty = (payload: unknown): boolean =>
  payload === '' || (Array.isArray(payload) ? payload.length === 0 : isObject(payload) && Object.keys(payload).length === 0);
