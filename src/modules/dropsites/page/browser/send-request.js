import { Interrupted, NetworkError } from './errors.js';

/** A request without progress for this time is aborted: a phone that changes networks reports no error. */
const STALLED_MS = 60_000;

/**
 * @typedef {object} StorageRequest
 * @property {string} method
 * @property {string} url
 * @property {Headers} headers
 * @property {Blob | string | null} body
 * @property {AbortSignal} [signal]
 * @property {(sent: number) => void} [onProgress] called with the sent bytes of this request
 *
 * @typedef {object} StorageAnswer
 * @property {number} status
 * @property {string} text
 * @property {(name: string) => string | null} header
 */

/**
 * Sends a request with XMLHttpRequest, because `fetch` does not report the progress of a body.
 * @param {StorageRequest} request
 * @returns {Promise<StorageAnswer>}
 */
export function sendRequest({ method, url, headers, body, signal, onProgress = () => {} }) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new Interrupted());
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let stalled;
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
      reject(new NetworkError('The connection was lost.'));
    };
    request.onabort = () => {
      finish();
      reject(signal?.aborted ? new Interrupted() : new NetworkError('The connection stalled.'));
    };
    signal?.addEventListener('abort', abort);
    isAlive();
    request.send(body);
  });
}
