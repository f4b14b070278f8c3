import type { Request } from 'express';

/**
 * The play to which a request belongs, by the query parameter `play` of the addresses that pages and playlists contain. page: of a player page, which
 * reports its play itself; fetched: of another player, known by the id that FetchedPlaysService issued.
 */
export type RequestedPlay = { readonly by: 'page'; readonly host: string } | { readonly by: 'fetched'; readonly id: string };

const PAGE = /^page(?:\.([\da-z.[\]:-]{1,253}))?$/;
/** 16 bytes in base64url. */
const ID = /^[\w-]{22}$/;

/** The parameter in the addresses of a player page that a page of `host` embeds; empty: it was opened by itself. */
export const playOfPage = (host: string): string => (host === '' ? 'page' : `page.${host}`);

/** Parses the parameter; null: the request belongs to no play. */
export function parsePlay(value: unknown): RequestedPlay | null {
  if (typeof value !== 'string') return null;
  const page = PAGE.exec(value);
  if (page) return { by: 'page', host: page[1] ?? '' };
  return ID.test(value) ? { by: 'fetched', id: value } : null;
}

/** Whether a player page sent the request for what it shows, so that it is part of the page's own use of the link. */
export const isOfPage = ({ query }: Pick<Request, 'query'>): boolean => parsePlay(query.play)?.by === 'page';
