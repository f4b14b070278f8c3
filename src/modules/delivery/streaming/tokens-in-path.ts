import type { Step } from '../../../shared/http/index.js';

declare module 'node:http' {
  interface IncomingMessage {
    /** Whether the address contained the tokens of the viewer in its path; then addresses relative to it contain them too. */
    hasTokensInPath?: boolean;
  }
}

/** Matches `/v5/deliverEmbed/<link>;admission=…;auth=…/media/7.m3u8` (path parameters, RFC 3986 section 3.3). */
const WITH_TOKENS = /^(\/v5\/deliverEmbed\/[\da-f-]{36});([^/?]*)(\/[^?]*)(?:\?(.*))?$/i;

/**
 * Moves the viewer's tokens from the path of a link to the query, before anything logs the path. Long playlists have them in the path: a relative
 * address in a playlist does not inherit the query, and repeating it for thousands of segments would make the playlist many times as long.
 */
export const tokensInPath: Step = (request, _response, next) => {
  const [, link, tokens = '', rest, query] = WITH_TOKENS.exec(request.url ?? '') ?? [];
  if (link !== undefined) {
    request.url = `${link}${rest}?${[tokens.replaceAll(';', '&'), query ?? ''].filter((part) => part !== '').join('&')}`;
    request.hasTokensInPath = true;
  }
  next();
};
