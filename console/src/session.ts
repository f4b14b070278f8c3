import { createClient, ProblemError, resumeSignIn, type Session, signIn } from '@media-delivery/sdk';
import { keepDrafts, removeDraftsExceptOf } from './elements/drafts';

/** The registration of the console as a client application. */
const CLIENT = {
  baseUrl: location.origin,
  clientId: 'console',
  redirectUri: `${location.origin}/console/`,
  scope: 'openid profile email api',
};

/** Notifies the other windows of the console that the person has signed out; they ask for a sign-in then. */
const windows = new BroadcastChannel('console');
windows.onmessage = () => {
  if (userId !== null) keepDrafts(userId);
  location.reload();
};
/** The `state` with which the page that ends the session of the browser returns (OpenID Connect RP-Initiated Logout). */
const SIGNED_OUT = 'signed-out';

let current: Promise<Session> | null = null;
/** The user who signed in last; their input is kept when the session ends. */
let userId: number | null = null;

/**
 * The session of the person, with tokens in memory only. If the browser is not signed in, the person is sent to the sign-in and returns to the
 * same address, with what they had typed.
 */
export function session(): Promise<Session> {
  current ??= startSession().catch((error: unknown) => {
    current = null;
    throw error;
  });
  return current;
}

async function startSession(): Promise<Session> {
  const started = await resumeOrSignIn();
  userId = started.tokens.user?.id ?? null;
  removeDraftsExceptOf(userId);
  return started;
}

async function resumeOrSignIn(): Promise<Session> {
  const state = new URLSearchParams(location.search).get('state');
  if (state === SIGNED_OUT) {
    windows.postMessage(SIGNED_OUT);
    history.replaceState(null, '', CLIENT.redirectUri);
  } else if (state !== null) return await signIn(CLIENT); // the person returns from the sign-in
  return await resumeSignIn(CLIENT).catch(async (error: unknown) => {
    if (!isSignedOut(error)) throw error;
    if (userId !== null) keepDrafts(userId);
    return await signIn(CLIENT);
  });
}

async function accessToken(refused?: string): Promise<string> {
  return await (await session()).accessToken(refused).catch(async (error: unknown) => {
    if (!isSignedOut(error)) throw error;
    current = null; // the sign-in of the browser has ended
    return await (await session()).accessToken();
  });
}

const isSignedOut = (error: unknown): boolean => error instanceof ProblemError && (error.status === 401 || error.code === 'invalid_grant');

/**
 * Lets the person confirm that it is them, which some changes need, and returns to the same address with what they had typed. The tokens of the loaded page
 * then are those of the confirmation.
 */
export function confirmIdentity(): void {
  if (userId !== null) keepDrafts(userId);
  const here = location.pathname + location.search + location.hash;
  location.assign(`/account/confirmation?${new URLSearchParams({ return_to: here })}`);
}

/** The client with which all pages call the service. */
export const api = createClient({ baseUrl: CLIENT.baseUrl, accessToken });

/** Revokes the tokens of this window, and leaves the console in every window by way of the page that ends the session of the browser. */
export async function signOut(): Promise<void> {
  const ending = await session();
  const { idToken } = ending.tokens; // with it the service asks no further question
  await ending.signOut();
  removeDraftsExceptOf(null);
  const query = {
    client_id: CLIENT.clientId,
    ...(idToken && { id_token_hint: idToken }),
    post_logout_redirect_uri: CLIENT.redirectUri,
    state: SIGNED_OUT,
  };
  location.assign(`/v4/logout?${new URLSearchParams(query)}`);
}
