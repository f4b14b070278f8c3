/**
 * Which pages of other origins may read a response with `fetch`. `clients`: those of registered clients and CORS_ORIGINS, also with cookies.
 * `clients-without-cookies`: the same pages, with a token only. `all`: every page, without cookies. `none`: only pages of this service.
 */
export type Readers = 'clients' | 'clients-without-cookies' | 'all' | 'none';

/** Responses that other origins may read; the first rule that matches counts. Everything else is closed, above all the pages that people see. */
const OPEN: readonly { readonly path: RegExp; readonly method?: string; readonly readers: Readers }[] = [
  // Players run on pages of any site and send no cookies; a preview may be a redirect to a fixed image.
  { path: /^\/v5\/(deliverEmbed|deliverFile)\/[^/]/i, readers: 'all' },
  { path: /^\/fixedPreviewImages\/[^/]/, readers: 'all' },
  { path: /^\/v5\/[^/]/i, readers: 'clients' },
  { path: /^\/v4\/(token|revoke|introspect|userinfo|jwks|apps|apps\/[^/]+|deauthorize|checkSignedSession)\/?$/i, readers: 'clients' },
  { path: /^\/v4\/requestCode\/?$/i, method: 'POST', readers: 'clients' },
  { path: /^\/v4\/requestCode\/?$/i, readers: 'clients-without-cookies' }, // a GET with a token
  { path: /^\/\.well-known\/(openid-configuration|oauth-authorization-server)\/?$/, readers: 'clients' },
];

/**
 * Requests that other sites send as forms by design: the sign-out of a client, which is answered with a question, and the response of an identity
 * provider, which is bound to a request of this service and to the browser.
 */
const FORMS_OF_OTHER_SITES = /^\/v4\/(logout|saml\/[^/]+\/acs)\/?$/i;

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The pages of other origins that may read the responses of a method and path (`POST`, `/v4/token?x=y`). */
export function readersOf(method: string, url: string): Readers {
  const path = pathOf(url);
  return OPEN.find((rule) => rule.path.test(path) && (rule.method ?? method) === method)?.readers ?? 'none';
}

/** Whether a request is a form of a page that people see and decides something for them, so that only a page of this service may send it. */
export const isOwnForm = (method: string, url: string): boolean =>
  !READING.has(method) && readersOf(method, url) === 'none' && !FORMS_OF_OTHER_SITES.test(pathOf(url));

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';
