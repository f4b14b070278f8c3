import type { Response } from 'express';
import type { PageDto } from './page.dto.js';

/** What was asked for: a page, or by its `id` the one element that there can be. */
export type Question = Pick<PageDto, 'limit'> & { readonly id?: number | null };

/** Names the next page in `Link: <…>; rel="next"` (RFC 8288) when this one is full. Lists are ordered by id. */
export function setNextLink(response: Response, { limit, id }: Question, elements: readonly { readonly id: number }[]): void {
  const last = elements.at(-1);
  if (typeof id === 'number' || !limit || elements.length < limit || !last) return;
  linkToNext(response, limit, last.id);
}

/** Names the page that begins behind the element `last`. */
export function linkToNext(response: Response, limit: number, last: number): void {
  const url = new URL(response.req.originalUrl, 'http://localhost');
  url.searchParams.set('limit', String(limit)); // it may have come in the body
  url.searchParams.set('cursor', String(last));
  response.setHeader('link', `<${url.pathname}${url.search}>; rel="next"`);
}
