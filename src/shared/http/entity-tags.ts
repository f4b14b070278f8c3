import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiExtension, ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { generalErrors } from '../errors.js';

/** A row of which every change that clients can make, or have to know of before they change it, increments the version. */
export interface Versioned {
  readonly id: number;
  readonly version: number;
}

/** The strong entity tag of one version of a row (RFC 9110 section 8.8.3). */
export const entityTagOf = ({ id, version }: Versioned): string => `"${id}-${version}"`;

/** Elements of a list of entity tags; commas in quotes do not separate. */
const ELEMENTS = /(?:[^",]|"[^"]*"?)+/g;

/** Whether an If-Match header permits a change (RFC 9110 section 13.1.1): it is absent, `*`, or names the tag; weak tags never match. */
function isMatch(ifMatch: string | undefined, tag: string | null): boolean {
  if (ifMatch === undefined) return true;
  return (ifMatch.match(ELEMENTS) ?? []).map((one) => one.trim()).some((one) => one === '*' || one === tag);
}

/** Whether a condition, If-Match or with `weak` If-None-Match (RFC 9110 sections 13.1.1 and 13.1.2), names the entity tag of what is there, or is `*`. */
export const matchesTag = (condition: string, tag: string, { weak = false } = {}): boolean =>
  isMatch(weak ? condition.replace(/(^|[,\s])W\//g, '$1') : condition, tag);

/**
 * Throws `precondition_failed` unless `ifMatch`, an If-Match header, permits a change of this row. The caller has locked the row until the end of the
 * transaction that changes it, so that of two changes with the same tag only one succeeds. `name` is what people call the row: `format 7`.
 */
export function requireMatch(ifMatch: string | undefined, row: Versioned, name: string): void {
  if (isMatch(ifMatch, entityTagOf(row))) return;
  throw generalErrors.precondition_failed(`The ${name} has changed since the version that If-Match names. Read it again.`);
}

/** The same for a resource that has no entity tag, so that only `*` permits its removal. */
export function requireNoTag(ifMatch: string | undefined, name: string): void {
  if (isMatch(ifMatch, null)) return;
  throw generalErrors.precondition_failed(`The ${name} has no entity tag. Send the request without If-Match, or with *.`);
}

const IF_MATCH = {
  name: 'If-Match',
  required: false,
  description: 'ETags of the versions that may be changed; any other version returns 412.',
};
const IF_NONE_MATCH = {
  name: 'If-None-Match',
  required: false,
  description: 'ETag of the version that the client has; if it is current, the response is 304.',
};

const readIfMatch = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  return context.switchToHttp().getRequest<Request>().headers['if-match'];
});

/** The If-Match header of a request, for `requireMatch`. Also describes the header and its error in the OpenAPI document. */
export const IfMatch = (): ParameterDecorator => (target, handler, index) => {
  readIfMatch()(target, handler, index);
  ApiHeader(IF_MATCH)(...method(target, handler));
};

/** The ETag of a response. */
export interface Tag {
  /** Sets the ETag to that of the row, and returns the response body. */
  set<Body>(row: Versioned, body: Body): Body;
}

/** Extension of operations whose responses have an ETag, until the OpenAPI document is complete (src/openapi). */
export const TAGGED = 'x-tagged';

const readTag = createParamDecorator((isWhole: boolean, context: ExecutionContext): Tag => {
  const http = context.switchToHttp();
  if (!isWhole) delete http.getRequest<Request>().headers['if-none-match']; // Express would answer 304
  return {
    set(row, body) {
      http.getResponse<Response>().setHeader('etag', entityTagOf(row));
      return body;
    },
  };
});

/**
 * Gives the handler the ETag of its response to set, and describes the header in the OpenAPI document. If the response shows nothing that changes without
 * a new version, `whole` makes the operation answer If-None-Match with 304.
 */
export const Tagged =
  ({ whole = false } = {}): ParameterDecorator =>
  (target, handler, index) => {
    readTag(whole)(target, handler, index);
    const place = method(target, handler);
    ApiExtension(TAGGED, true)(...place);
    if (!whole) return;
    ApiHeader(IF_NONE_MATCH)(...place);
    ApiResponse({ status: 304, description: 'The version of If-None-Match is current.' })(...place);
  };

/** The arguments of a decorator of the method to which a parameter belongs. */
function method(target: object, handler: string | symbol | undefined): [object, string | symbol, PropertyDescriptor] {
  const descriptor = handler === undefined ? undefined : Object.getOwnPropertyDescriptor(target, handler);
  if (handler === undefined || !descriptor) throw new Error('The decorator belongs to a parameter of a handler.');
  return [target, handler, descriptor];
}
