import type { FieldProblem } from '../../../shared/errors.js';
import { isObject } from '../../../shared/validation/index.js';
import { oneOf, problem, type Rule } from './json-rules.js';

const methods = oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

interface Request {
  readonly method?: unknown;
  readonly payload?: unknown;
}

/** An HTTP method in upper or lower case. */
export const methodRule: Rule = (value, path) => methods(typeof value === 'string' ? value.toUpperCase() : value, path);

/** GET has no body (RFC 9110 section 9.3.1), so a non-empty payload with GET is a mistake of the author. */
export const checkPayload = ({ method, payload }: Request, path: string): FieldProblem[] =>
  isGet(method) && payload !== undefined && payload !== null && !isEmpty(payload)
    ? problem(`${path}.payload`, 'no_payload', 'cannot be sent with GET; put it into the address')
    : [];

/** Converts the method to upper case, and removes the payload of GET. */
export function normalizeRequest<Of extends object>(instruction: Of): Of {
  const { method } = instruction as Request;
  return typeof method === 'string'
    ? { ...instruction, method: method.toUpperCase(), ...(isGet(method) && { payload: null }) }
    : instruction;
}

const isGet = (method: unknown): boolean => typeof method === 'string' && method.toUpperCase() === 'GET';

const isEmpty = (payload: unknown): boolean =>
  payload === '' || (Array.isArray(payload) ? payload.length === 0 : isObject(payload) && Object.keys(payload).length === 0);
