import { ProblemError } from '../problem-error.js';
import { Interrupted } from './errors.js';

/** A request without progress for this time is aborted: a phone that changes networks reports no error. */
const STALLED_MS = 60_000;
/** Where progress is not reported, a request may also take the time that its bytes need at this rate (per second). */
const SLOWEST_RATE = 16 * 1024;

export interface StorageRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: Blob | string | null;
  readonly signal?: AbortSignal | undefined;
  /** Called with the sent bytes of this request. */
  readonly onProgress?: ((sent: number) => void) | undefined;
}

export interface StorageAnswer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

/** Sends a request: in pages with XMLHttpRequest, because `fetch` does not report the progress of a body, and elsewhere with `fetch`. */
export async function sendRequest(request: StorageRequest): Promise<StorageAnswer> {
  if (request.signal?.aborted) throw new Interrupted();
  return await ('XMLHttpRequest' in globalThis ? sendFromPage(request) : sendFromProgram(request));
}

function sendFromPage({ method, url, headers, body, signal, onProgress = () => {} }: StorageRequest): Promise<StorageAnswer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    let stalled: ReturnType<typeof setTimeout> | undefined;
    const isAlive = () => {
      clearTimeout(stalled);
      stalled = setTimeout(abort, STALLED_MS);
    };
    const finish = () => {
      clearTimeout(stalled);
      signal?.removeEventListener('abort', abort);
    };
    request.open(method, url);
    headers.forEach((value, name) => {
      request.setRequestHeader(name, value);
    });
    request.upload.onprogress = ({ loaded }) => {
      isAlive();
      onProgress(loaded);
    };
    request.onload = () => {
      finish();
      resolve({ status: request.status, text: request.responseText, header: (name) => request.getResponseHeader(name) });
    };
    request.onerror = () => {
      finish();
      reject(ProblemError.network('The connection was lost.'));
    };
    request.onabort = () => {
      finish();
      reject(signal?.aborted ? new Interrupted() : ProblemError.network('The connection stalled.'));
    };
    signal?.addEventListener('abort', abort);
    isAlive();
    request.send(body);
  });
}

async function sendFromProgram({ method, url, headers, body, signal }: StorageRequest): Promise<StorageAnswer> {
  const size = body instanceof Blob ? body.size : 0;
  const timeout = AbortSignal.timeout(STALLED_MS + Math.ceil((size / SLOWEST_RATE) * 1_000));
  try {
    const response = await fetch(url, { method, headers, body, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    return { status: response.status, text: await response.text(), header: (name) => response.headers.get(name) };
  } catch (error) {
    if (signal?.aborted) throw new Interrupted();
    throw ProblemError.network(timeout.aborted ? 'The connection stalled.' : 'The connection was lost.', error);
  }
}
