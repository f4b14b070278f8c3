import { createHash, randomBytes } from 'node:crypto';
import { AccountsService, type UserDeclaration } from '../../../src/modules/accounts/index.js';
import { type ClientDeclaration, ClientsService } from '../../../src/modules/oauth/index.js';
import type { TestApp } from '../app/test-app.js';
import { TestBrowser } from '../browser/browser.js';

export const PASSWORD = 'correct horse battery staple';
export const REDIRECT_URI = 'http://client.example/callback';

let count = 0;

/** A user of a customer of their own, ready to sign in with PASSWORD. */
export async function aUser({ app }: TestApp, overrides: Partial<UserDeclaration> = {}) {
  count += 1;
  const accounts = app.get(AccountsService);
  const customer = overrides.customer ?? `Customer ${count}`;
  await accounts.declareCustomer({ name: customer });
  return await accounts.declareUser({
    email: `user${count}@example.org`,
    customer,
    firstname: 'Ada',
    lastname: 'Lovelace',
    password: PASSWORD,
    ...overrides,
  });
}

/** A public first-party web client that has one redirect URI and may omit PKCE. */
export async function aClient({ app }: TestApp, overrides: Partial<ClientDeclaration> = {}) {
  count += 1;
  const defaults = {
    clientId: `client-${count}`,
    name: `Client ${count}`,
    type: 'web' as const,
    redirectUris: [REDIRECT_URI],
    firstParty: true,
    requirePkce: false,
  };
  return await app.get(ClientsService).declare({ ...defaults, ...overrides });
}

export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export const authorizeUrl = (url: string, query: Record<string, string>): string =>
  `${url}/v4/authorize?${new URLSearchParams({ response_type: 'code', state: 'xyz', ...query })}`;

/** Opens an authorize URL, signs in and consents where asked, and answers the URL of the client that the browser ends at. */
export async function signIn(
  browser: TestBrowser,
  url: string,
  user: { email: string },
  fields: Record<string, string> = {},
): Promise<URL> {
  let step = await browser.follow(url);
  for (let pages = 0; pages < 3 && step.url.origin === browser.origin; pages += 1) {
    const html = await step.response.text();
    if (html.includes('type="password"')) step = await browser.submit(html, '/login', { email: user.email, password: PASSWORD, ...fields });
    else if (html.includes('/consent"')) step = await browser.submit(html, '/consent');
    else throw new Error(`No way on from ${step.url} (${step.response.status}):\n${html.slice(0, 3_000)}`);
  }
  return step.url;
}

export interface TokenAnswer {
  readonly status: number;
  readonly body: Record<string, unknown> & { access_token: string; refresh_token: string; error?: string };
}

export async function postToken(url: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<TokenAnswer> {
  const response = await fetch(`${url}/v4/token`, { method: 'POST', body: new URLSearchParams(form), headers });
  return { status: response.status, body: (await response.json()) as TokenAnswer['body'] };
}

/** A whole sign-in by authorization code with PKCE; answers the token response. */
export async function obtainTokens(
  app: TestApp,
  parties: { user: { email: string }; client: { clientId: string }; query?: Record<string, string>; browser?: TestBrowser },
): Promise<TokenAnswer['body']> {
  const { verifier, challenge } = pkce();
  const { clientId } = parties.client;
  const query = {
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...parties.query,
  };
  const target = await signIn(parties.browser ?? new TestBrowser(app.url), authorizeUrl(app.url, query), parties.user);
  const code = target.searchParams.get('code');
  if (!code) throw new Error(`No code came back: ${target}`);
  const form = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier, redirect_uri: REDIRECT_URI };
  const headers: Record<string, string> = parties.query?.device ? { 'x-service-device': parties.query.device } : {};
  const { status, body } = await postToken(app.url, form, headers);
  if (status !== 200) throw new Error(`The exchange failed: ${JSON.stringify(body)}`);
  return body;
}
