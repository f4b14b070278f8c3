import type { TestApp } from '../app/test-app.js';
import { TestBrowser } from '../browser/browser.js';
import { PASSWORD, postToken, REDIRECT_URI, signIn, type TokenAnswer } from './scenario.js';

type Query = Record<string, string> | [string, string][];

interface Parties {
  readonly user: { email: string };
  readonly client: { clientId: string };
  readonly query?: Record<string, string>;
  readonly browser?: TestBrowser;
}

/** What came back from GET /v4/authorize; nothing is followed. */
export interface AuthorizeAnswer {
  readonly status: number;
  readonly location: URL | null;
  readonly headers: Headers;
  readonly text: string;
}

/** GET /v4/authorize with exactly these parameters. */
export async function authorize(app: TestApp, query: Query, browser = new TestBrowser(app.url)): Promise<AuthorizeAnswer> {
  const response = await browser.open(`/v4/authorize?${new URLSearchParams(query)}`);
  const location = response.headers.get('location');
  return {
    status: response.status,
    location: location === null ? null : new URL(location, app.url),
    headers: response.headers,
    text: await response.text(),
  };
}

/** Parameters of a well-formed authorization request, with the given ones on top. */
export const request = (client: { clientId: string }, query: Record<string, string> = {}): Record<string, string> => ({
  client_id: client.clientId,
  response_type: 'code',
  redirect_uri: REDIRECT_URI,
  state: 'xyz',
  ...query,
});

/** Signs in (and consents, where asked); answers where the browser ends, at the client. No PKCE unless asked for in `query`. */
export async function signInTo(app: TestApp, { user, client, query, browser }: Parties): Promise<URL> {
  const url = `${app.url}/v4/authorize?${new URLSearchParams(request(client, query))}`;
  return await signIn(browser ?? new TestBrowser(app.url), url, user);
}

/** A code that was not exchanged yet. */
export async function obtainCode(app: TestApp, parties: Parties): Promise<string> {
  const target = await signInTo(app, parties);
  const code = target.searchParams.get('code');
  if (!code) throw new Error(`No code came back: ${target}`);
  return code;
}

/** Exchanges a code of `obtainCode` for tokens; `form` adds or replaces parameters. */
export async function exchange(
  app: { url: string },
  client: { clientId: string },
  code: string,
  form: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<TokenAnswer> {
  const base = { grant_type: 'authorization_code', client_id: client.clientId, code, redirect_uri: REDIRECT_URI };
  return await postToken(app.url, { ...base, ...form }, headers);
}

export async function refresh(
  app: { url: string },
  client: { clientId: string },
  refreshToken: string,
  form: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<TokenAnswer> {
  return await postToken(
    app.url,
    { grant_type: 'refresh_token', client_id: client.clientId, refresh_token: refreshToken, ...form },
    headers,
  );
}

export const basic = (clientId: string, secret: string): Record<string, string> => {
  const encode = (part: string) => encodeURIComponent(part).replaceAll('%20', '+');
  return { authorization: `Basic ${Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString('base64')}` };
};

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of a body is what it asserts
  readonly body: any;
}

/** A request whose answer is JSON; `json` becomes the body. */
export async function call(
  url: string,
  { json, ...init }: RequestInit & { json?: unknown; headers?: Record<string, string> } = {},
): Promise<JsonAnswer> {
  const headers = { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...init.headers };
  const body = json === undefined ? init.body : JSON.stringify(json);
  const response = await fetch(url, { ...init, headers, body: body ?? null, redirect: 'manual' });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

/** POST /v4/introspect as a form. */
export async function introspect(app: { url: string }, form: Record<string, string>, headers: Record<string, string> = {}) {
  return await call(`${app.url}/v4/introspect`, { method: 'POST', body: new URLSearchParams(form), headers });
}

/** Whether an access token opens the API. */
export async function works(app: { url: string }, token: string, headers: Record<string, string> = {}): Promise<boolean> {
  const { status } = await call(`${app.url}/v4/apps`, { headers: { ...bearer(token), ...headers } });
  if (status !== 200 && status !== 401) throw new Error(`Neither accepted nor refused: ${status}`);
  return status === 200;
}

/** One try at the login page that `html` shows. */
export async function tryPassword(browser: TestBrowser, html: string, email: string, password = PASSWORD) {
  const { response, url } = await browser.submit(html, '/login', { email, password });
  return { status: response.status, url, headers: response.headers, text: await response.text() };
}
