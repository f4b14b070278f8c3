import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { inPortions, type Portion } from '../database/index.js';
import { asJsonObject } from '../http/index.js';
import type { PageDto } from './page.dto.js';

/** The number of elements of a page if the request does not name one. */
export const DEFAULT_LIMIT = 100;

/** A page is one text in memory, and clients also read it as a whole. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Response elements of a list, in portions. */
type Portions = AsyncIterable<readonly { readonly id: number }[]>;

/** What the client requested: a page, or the single element with this `id`. */
type Question = Pick<PageDto, 'limit'> & { readonly id?: number | null };

/** What the client requested of a list; `wholeUpTo`: how many elements a request without a limit returns at most, by default a page. */
type ListQuestion = Question & Pick<PageDto, 'cursor'> & { readonly wholeUpTo?: number };

/**
 * Sends a list that `read` reads in portions. A page ends early if it would become too large, and names the next page in `Link`; a whole list is sent
 * portion by portion as the client reads it, so that memory does not depend on the number of elements.
 */
export async function sendList<Element extends { readonly id: number }>(
  response: Response,
  { id, limit, cursor = 0, wholeUpTo }: ListQuestion,
  read: (portion: Portion) => Promise<readonly Element[]>,
): Promise<void> {
  response.type('json');
  if (limit === undefined && wholeUpTo !== undefined) return await stream(response, inPortions({ after: cursor, limit: wholeUpTo }, read));
  const page = { id, limit: limit ?? DEFAULT_LIMIT };
  await sendPage(response, page, inPortions({ after: cursor, limit: page.limit }, read));
}

async function sendPage(response: Response, { limit, id }: Question & { readonly limit: number }, portions: Portions): Promise<void> {
  const { elements, texts, isFull } = await collectPage(portions, limit);
  const last = elements.at(-1);
  if (isFull && last && typeof id !== 'number') linkToNext(response, limit, last.id);
  response.send(`[${texts.join(',')}]`);
}

/** Collects elements of a page with their JSON until there are `limit` or the page would become too large; then it is full, and another follows. */
export async function collectPage<Element extends { readonly id: number }>(portions: AsyncIterable<readonly Element[]>, limit: number) {
  const [elements, texts]: [Element[], string[]] = [[], []];
  let bytes = 2; // the brackets
  for await (const portion of portions) {
    for (const element of portion) {
      const text = JSON.stringify(element);
      bytes += Buffer.byteLength(text) + 1;
      if (bytes > MAX_PAGE_BYTES && texts.length > 0) return { elements, texts, isFull: true };
      elements.push(element);
      texts.push(text);
    }
  }
  return { elements, texts, isFull: elements.length >= limit };
}

/** A list that fits into the first portion is sent as one text. Once the response has begun, a failure closes the connection. */
async function stream(response: Response, portions: Portions): Promise<void> {
  const texts = textsOf(portions);
  const first = await texts.next();
  const second = first.done ? first : await texts.next();
  if (second.done) return void response.send(`[${first.value ?? ''}]`);
  const all = async function* () {
    yield `[${first.value},${second.value}`;
    for await (const text of texts) yield `,${text}`;
    yield ']';
  };
  await pipeline(Readable.from(all()), response);
}

async function* textsOf(portions: Portions): AsyncGenerator<string, undefined> {
  for await (const elements of portions) if (elements.length > 0) yield elements.map((element) => JSON.stringify(element)).join(',');
}

/** Sets `Link: <…>; rel="next"` (RFC 8288) if this page is full. Lists are ordered by id. */
export function setNextLink(response: Response, { limit, id }: Question, elements: readonly { readonly id: number }[]): void {
  const last = elements.at(-1);
  if (typeof id === 'number' || !limit || elements.length < limit || !last) return;
  linkToNext(response, limit, last.id);
}

/** Characters of a URL that clients accept in `Link`; the filters of a list are shorter. */
const MAX_URL_CHARACTERS = 12_000;

/**
 * Sets the link to the page after the element `last`: its id, or its position in a list of another order. It repeats the filters, also those that
 * were sent as a JSON body.
 */
export function linkToNext(response: Response, limit: number, last: number | string): void {
  const url = new URL(response.req.originalUrl, 'http://localhost');
  for (const [name, value] of Object.entries(asJsonObject(response.req.body))) {
    const parameters = toParameters(name, value);
    const characters = parameters.reduce((sum, parameter) => sum + parameter.join('=').length, url.href.length);
    if (parameters.length === 0 || characters > MAX_URL_CHARACTERS) continue;
    for (const key of [...url.searchParams.keys()]) if (key === name || key.startsWith(`${name}[`)) url.searchParams.delete(key);
    for (const [key, text] of parameters) url.searchParams.append(key, text);
  }
  url.searchParams.set('limit', String(limit)); // the limit may have been sent in the body
  url.searchParams.set('cursor', String(last));
  response.setHeader('link', `<${url.pathname}${url.search}>; rel="next"`);
}

/** A member of a JSON body as parameters of a query (`condition[path]=a.b`); a null of the body counts as absent. */
function toParameters(name: string, value: unknown): [string, string][] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((element: unknown) => toParameters(name, element));
  if (typeof value !== 'object') return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, member]) => toParameters(`${name}[${key}]`, member));
}
