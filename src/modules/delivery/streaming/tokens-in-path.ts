import type { Step } from '../../../shared/http/index.js';

declare module 'node:http' {
  interface IncomingMessage {
    /** Whether the address carried the tokens of the viewer in its path; then addresses relative to it carry them too. */
    hasTokensInPath?: boolean;
  }
}

/** `/v5/deliverEmbed/<link>;admission=…;auth=…/media/7.m3u8` (path parameters, RFC 3986 section 3.3). */
const WITH_TOKENS = /^(\/v5\/deliverEmbed\/[\da-f-]{36});([^/?]*)(\/[^?]*)(?:\?(.*))?$/i;

/**
 * A query is lost where a playlist names a relative address, and repeated for each of thousands of segments it would make the playlist many times
 * as long. So long playlists have the tokens of the viewer in the path of the link. They become the query, before anything logs the path.
 */
export const tokensInPath: Step = (request, _response, next) => {
  const [, link, tokens = '', rest, query] = WITH_TOKENS.exec(request.url ?? '') ?? [];
  if (link !== undefined) {
    request.url = `${link}${rest}?${[tokens.replaceAll(';', '&'), query ?? ''].filter((part) => part !== '').join('&')}`;
    request.hasTokensInPath = true;
  }
  next();
};
