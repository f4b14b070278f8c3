import { ProblemError, readRetryAfter } from './problem-error.js';

export type Send = (request: Request) => Promise<Response>;

/**
 * The access token of the calls, or a function that returns it and is called before each of them. `refused` is the token that the service
 * has just refused with 401: if the function returns another one, the call is repeated.
 */
export type AccessToken = string | ((refused?: string) => string | Promise<string>);

/** The longest wait before a retry; the caller decides about longer ones, as for a quota that is renewed at midnight. */
const MAX_WAIT_SECONDS = 60;
const MAX_ATTEMPTS = 5;

/** Sends requests with the access token, and once more with a new one after a 401. A call's own `authorization` header is not changed. */
export function withToken(send: Send, accessToken: AccessToken | undefined): Send {
  if (accessToken === undefined) return send;
  const tokenOf = async (refused?: string) => (typeof accessToken === 'string' ? accessToken : await accessToken(refused));
  return async (request) => {
    if (request.headers.has('authorization')) return await send(request);
    const again = request.clone(); // sending reads the body
    const token = await tokenOf();
    const response = await send(authorized(request, token));
    if (response.status !== 401) return response;
    const next = await tokenOf(token);
    if (next === token) return response;
    await response.body?.cancel();
    return await send(authorized(again, next));
  };
}

/**
 * Waits for the `Retry-After` of a 429 or 503, if that is at most a minute, and repeats the request. A POST is not repeated after 503:
 * the connection to the database may have been lost after the change was committed.
 */
export function withRetries(send: Send): Send {
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await send(request.clone());
      const isBusy = response.status === 429 || (response.status === 503 && request.method !== 'POST');
      const seconds = isBusy ? readRetryAfter(response.headers.get('retry-after')) : null;
      if (seconds === null || seconds > MAX_WAIT_SECONDS || attempt === MAX_ATTEMPTS) return response;
      await response.body?.cancel();
      await sleep(seconds * 1_000, request.signal);
    }
  };
}

/** Converts a missing or incomplete response to a ProblemError: the body is read here. An abort rejects with the reason of its signal. */
export function withNetworkErrors(send: Send): Send {
  return async (request) => {
    try {
      const response = await send(request);
      if (response.body === null) return response;
      const { status, statusText, headers } = response;
      return new Response(await response.arrayBuffer(), { status, statusText, headers });
    } catch (error) {
      request.signal.throwIfAborted();
      if (error instanceof ProblemError) throw error;
      throw ProblemError.network('The service cannot be reached.', error);
    }
  };
}

/** Resolves after this time; rejects immediately when the signal is aborted. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
  });
}

function authorized(request: Request, token: string): Request {
  request.headers.set('authorization', `Bearer ${token}`);
  return request;
}
