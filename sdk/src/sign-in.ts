import * as oauth from 'oauth4webapi';
import type { components } from './generated/api.js';
import { ProblemError } from './problem-error.js';
import { SharedWork } from './shared-work.js';

/** A client application of the service. */
export interface SignInOptions {
  /** The URL of the service (its PUBLIC_URL). */
  readonly baseUrl: string;
  readonly clientId: string;
  /** The secret of a confidential client; a page or an installed application has none. */
  readonly clientSecret?: string;
  /** One of the client's registered redirect URIs. */
  readonly redirectUri: string;
  /** By default `openid api offline_access`, which includes a refresh token. */
  readonly scope?: string;
  /** Further parameters of authorize, such as `ssoIdentifier`, `prompt` or `acr_values`. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** The data to store between the two steps of a sign-in, on a server in the person's session. It is plain JSON. */
export interface PendingSignIn {
  readonly state: string;
  readonly codeVerifier: string;
}

export interface Tokens {
  readonly accessToken: string;
  /** Null: the session ends with the access token. */
  readonly refreshToken: string | null;
  /** The expiry of the access token in Unix milliseconds. */
  readonly expiresAt: number;
  /** The ID token, if the scope contains `openid`: the `id_token_hint` of `/v4/logout`. Absent in tokens that an earlier version of this package has stored. */
  readonly idToken?: string | null;
  /** Claims of the ID token, if the scope contains `openid`. */
  readonly claims: Readonly<Record<string, unknown>> | null;
  /** The signed-in person, for whom the access token was issued. Absent in tokens that an earlier version of this package has stored. */
  readonly user?: components['schemas']['TokenUser'] | null;
  /** The id of the member of the support staff who acts for `user`; null: the person acts for themselves. */
  readonly supportUserId?: number | null;
}

/** Time before its expiry at which a token is renewed, so that a delayed request still arrives with a valid one. */
const MARGIN_MS = 30_000;
/** The key of a sign-in in progress, in sessionStorage. */
const PENDING = 'media-delivery-sign-in:';

/** Tokens that renew themselves: `createClient({ baseUrl, accessToken: session.accessToken })`. */
export class Session {
  tokens: Tokens;
  /** Called with each new pair of tokens, in order to store it: a refresh token is replaced whenever it is used. */
  onTokens: (tokens: Tokens) => void = () => {};
  /** Called when the session has ended: its tokens were revoked, or the service refused to renew them. */
  onEnded: () => void = () => {};
  readonly #renew: (refreshToken: string | null) => Promise<Tokens>;
  readonly #revoke: (token: string) => Promise<void>;
  readonly #renewing = new SharedWork<string>();

  constructor(
    tokens: Tokens,
    { renew, revoke }: { renew(refreshToken: string | null): Promise<Tokens>; revoke(token: string): Promise<void> },
  ) {
    this.tokens = tokens;
    this.#renew = renew;
    this.#revoke = revoke;
  }

  /** A valid access token, renewed if it has expired or the service has refused it. Concurrent calls renew it once. */
  readonly accessToken = async (refused?: string): Promise<string> => {
    const { accessToken, expiresAt } = this.tokens;
    if (accessToken !== refused && Date.now() < expiresAt - MARGIN_MS) return accessToken;
    return await this.#renewing.get(() => this.#renewNow());
  };

  /** Replaces the tokens before another call can renew them: using a refresh token twice ends the session. */
  async #renewNow(): Promise<string> {
    this.tokens = await this.#renew(this.tokens.refreshToken).catch((error: unknown) => {
      if (error instanceof ProblemError && (error.status === 401 || error.code === 'invalid_grant')) this.onEnded();
      throw error;
    });
    this.onTokens(this.tokens);
    return this.tokens.accessToken;
  }

  /** Ends the session: revokes its tokens. */
  async signOut(): Promise<void> {
    await this.#revoke(this.tokens.refreshToken ?? this.tokens.accessToken);
    this.onEnded();
  }
}

/** Starts a sign-in (code + PKCE): send the person to `url`, and keep `pending` until they return to the redirect URI. */
export async function beginSignIn(options: SignInOptions): Promise<{ url: string; pending: PendingSignIn }> {
  const { baseUrl, clientId, redirectUri, scope = 'openid api offline_access', parameters = {} } = options;
  const { authorization_endpoint: endpoint = '' } = await discover(baseUrl);
  const pending = { state: oauth.generateRandomState(), codeVerifier: oauth.generateRandomCodeVerifier() };
  const url = new URL(endpoint);
  const query = {
    ...parameters,
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope, state: pending.state },
    ...{ code_challenge: await oauth.calculatePKCECodeChallenge(pending.codeVerifier), code_challenge_method: 'S256' },
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url: url.href, pending };
}

/**
 * Finishes a sign-in with the URL to which the person has returned. Throws ProblemError; its code is `access_denied` if the person refused,
 * `sign_in_failed` if the response does not belong to the sign-in that `pending` began.
 */
export async function finishSignIn(options: SignInOptions, returnedTo: string | URL, pending: PendingSignIn): Promise<Session> {
  const { baseUrl, clientId, redirectUri } = options;
  // oauth4webapi accepts a response without `state` if none is expected.
  if (!pending.state || !pending.codeVerifier) {
    throw new ProblemError({
      status: 0,
      code: 'sign_in_failed',
      detail: 'No sign-in is under way here, or it has expired; sign in again.',
    });
  }
  const tokens = await asProblem(async () => {
    const server = await discover(baseUrl);
    const client = { client_id: clientId };
    const parameters = oauth.validateAuthResponse(server, client, new URL(returnedTo), pending.state);
    const request = [server, client, authenticationOf(options), parameters, redirectUri, pending.codeVerifier, httpOf(baseUrl)] as const;
    return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, await oauth.authorizationCodeGrantRequest(...request)));
  });
  return restoreSession(options, tokens);
}

/** Creates a session from stored tokens (`session.tokens`, `onTokens`). */
export function restoreSession(options: Omit<SignInOptions, 'redirectUri'>, tokens: Tokens): Session {
  return new Session(tokens, {
    renew: async (refreshToken) => {
      if (refreshToken === null) {
        throw new ProblemError({ status: 401, code: 'session_expired', detail: 'The access token has expired; sign in again.' });
      }
      return await asProblem(async () => {
        const server = await discover(options.baseUrl);
        const client = { client_id: options.clientId };
        const request = [server, client, authenticationOf(options), refreshToken, httpOf(options.baseUrl)] as const;
        const answer = await oauth.processRefreshTokenResponse(server, client, await oauth.refreshTokenGrantRequest(...request));
        return tokensOf(answer, refreshToken);
      });
    },
    revoke: (token) => revoke(options, token),
  });
}

/**
 * Creates a session from the browser's sign-in at the service, without a redirect (`POST /v4/requestCode`, code + PKCE). A page may do this if the service or
 * a redirect URI of the client has its origin. Its tokens are renewed in the same way, so that it ends when the person signs out in any window. Throws
 * ProblemError with status 401 if the browser is not signed in: `signIn` then asks the person.
 */
export async function resumeSignIn(options: Omit<SignInOptions, 'clientSecret' | 'parameters'>): Promise<Session> {
  const { baseUrl, clientId, redirectUri, scope = 'openid api' } = options;
  const renew = async () => {
    const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
    const challenge = { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' };
    const request = fetch(new URL('/v4/requestCode', baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      credentials: 'include',
      body: JSON.stringify({ client_id: clientId, redirect_uri: redirectUri, scope, state, ...challenge }),
    });
    const [response, server] = await Promise.all([request, discover(baseUrl)]);
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw ProblemError.fromResponse(response, answer);
    const { code } = answer as { code: string };
    const client = { client_id: clientId };
    const parameters = oauth.validateAuthResponse(server, client, new URLSearchParams({ code, state, iss: server.issuer }), state);
    const exchange = [server, client, oauth.None(), parameters, redirectUri, verifier, httpOf(baseUrl)] as const;
    return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, await oauth.authorizationCodeGrantRequest(...exchange)));
  };
  const tokens = await asProblem(renew);
  return new Session(tokens, { renew: async () => await asProblem(renew), revoke: (token) => revoke(options, token) });
}

/** Creates a session of a program without a user: a confidential client with the grant `client_credentials`. */
export async function signInAsClient(
  options: Required<Pick<SignInOptions, 'baseUrl' | 'clientId' | 'clientSecret'>> & Pick<SignInOptions, 'scope'>,
): Promise<Session> {
  const renew = async () =>
    await asProblem(async () => {
      const server = await discover(options.baseUrl);
      const client = { client_id: options.clientId };
      const scope: Record<string, string> = options.scope ? { scope: options.scope } : {};
      const request = [server, client, authenticationOf(options), scope, httpOf(options.baseUrl)] as const;
      return tokensOf(await oauth.processClientCredentialsResponse(server, client, await oauth.clientCredentialsGrantRequest(...request)));
    });
  return new Session(await renew(), { renew, revoke: (token) => revoke(options, token) });
}

/**
 * Signs in from a page: redirects to the sign-in, and resolves when the page is loaded again with the response. The URL of the page is then
 * as it was before.
 */
export function signIn(options: SignInOptions): Promise<Session> {
  const { clientId } = options;
  return signIns.get(async () => {
    const session = await signInFromPage(options);
    session.onEnded = () => signIns.forget(clientId); // the next call begins a new sign-in
    return session;
  }, clientId);
}

/** A page may call `signIn` twice before it is unloaded, as effects of React do; it gets the same session until that ends. */
const signIns = new SharedWork<Session, string>({ keptMs: Number.POSITIVE_INFINITY });

async function signInFromPage(options: SignInOptions): Promise<Session> {
  const key = `${PENDING}${options.clientId}`;
  const here = new URL(location.href);
  const kept = sessionStorage.getItem(key);
  const { pending: begun, leftFrom } = JSON.parse(kept ?? '{}') as { pending?: PendingSignIn; leftFrom?: string };
  const isAnswer = here.searchParams.has('code') || here.searchParams.has('error');
  if (begun && isAnswer && here.searchParams.get('state') === begun.state) {
    sessionStorage.removeItem(key);
    history.replaceState(history.state, '', leftFrom); // the code must not remain in the address bar and the history
    return await finishSignIn(options, here, begun);
  }
  const { url, pending } = await beginSignIn(options);
  sessionStorage.setItem(key, JSON.stringify({ pending, leftFrom: here.href }));
  location.assign(url);
  return await new Promise(() => {}); // the page is being unloaded
}

/** The metadata of the service, which is read once. */
function discover(baseUrl: string): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(baseUrl);
  const read = async () =>
    await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...httpOf(baseUrl) }));
  return servers.get(() => asProblem(read), baseUrl);
}

const servers = new SharedWork<oauth.AuthorizationServer, string>({ keptMs: Number.POSITIVE_INFINITY });

/** Codes and tokens are sent over https; http is permitted on the same machine only. */
const httpOf = (baseUrl: string) => ({
  [oauth.allowInsecureRequests]: ['localhost', '127.0.0.1', '[::1]'].includes(new URL(baseUrl).hostname),
});

const authenticationOf = ({ clientSecret }: Pick<SignInOptions, 'clientSecret'>) =>
  clientSecret === undefined ? oauth.None() : oauth.ClientSecretBasic(clientSecret);

async function revoke(options: Pick<SignInOptions, 'baseUrl' | 'clientId' | 'clientSecret'>, token: string): Promise<void> {
  await asProblem(async () => {
    const server = await discover(options.baseUrl);
    const request = [server, { client_id: options.clientId }, authenticationOf(options), token, httpOf(options.baseUrl)] as const;
    await oauth.processRevocationResponse(await oauth.revocationRequest(...request));
  });
}

function tokensOf(answer: oauth.TokenEndpointResponse, refreshToken: string | null = null): Tokens {
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? refreshToken,
    expiresAt: Date.now() + (answer.expires_in ?? 0) * 1_000,
    user: (answer.user as Tokens['user'] | undefined) ?? null,
    supportUserId: (answer.casa as { readonly id: number } | undefined)?.id ?? null,
    idToken: answer.id_token ?? null,
    claims: (oauth.getValidatedIdTokenClaims(answer) as Record<string, unknown> | undefined) ?? null,
  };
}

/** Converts errors of the protocol to ProblemErrors, whose code is the `error` of OAuth. */
async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause;
    if (cause instanceof oauth.ResponseBodyError || cause instanceof oauth.AuthorizationResponseError) {
      const status = cause instanceof oauth.ResponseBodyError ? cause.status : 0;
      const detail = cause.error_description ?? `The sign-in failed: ${cause.error}.`;
      throw new ProblemError({ status, code: cause.error, detail }, { cause });
    }
    if (cause instanceof oauth.OperationProcessingError || cause instanceof oauth.UnsupportedOperationError) {
      throw new ProblemError({ status: 0, code: 'sign_in_failed', detail: `The sign-in failed: ${cause.message}` }, { cause });
    }
    if (cause instanceof oauth.WWWAuthenticateChallengeError) {
      throw new ProblemError(
        { status: 401, code: 'invalid_client', detail: 'The service does not accept this client or its secret.' },
        { cause },
      );
    }
    throw cause instanceof TypeError ? ProblemError.network('The service cannot be reached.', cause) : cause;
  }
}
