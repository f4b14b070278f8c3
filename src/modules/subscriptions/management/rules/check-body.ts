import type { FieldProblem } from '../../../../shared/errors/index.js';
import { problem } from './rule.js';

/** What an instruction sends, and how. */
export interface Body {
  readonly method?: unknown;
  readonly payload?: unknown;
}

/** A payload that would not be sent is a mistake of whoever wrote it: GET has no body (RFC 9110 section 9.3.1). */
export const checkBody = ({ method, payload }: Body, path: string): FieldProblem[] =>
  method === 'GET' && payload !== undefined && payload !== null
    ? problem(`${path}.payload`, 'no_payload', 'cannot be sent with GET; put it into the address')
    : [];
