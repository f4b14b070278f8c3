// Computes SHA-256 in a worker, one file after the other, so that neither the page nor the upload is blocked.
import { sha256 } from '@noble/hashes/sha2.js';

const PIECE = 4 * 1024 * 1024;
const scope = /** @type {Worker} */ (/** @type {unknown} */ (self));
let last = Promise.resolve();

/** @param {MessageEvent<{ uuid: string, file: Blob }>} event */
scope.onmessage = ({ data }) => {
  last = last.then(async () => scope.postMessage({ uuid: data.uuid, sha256: await digest(data.file).catch(() => null) }));
};

/** @param {Blob} file */
async function digest(file) {
  const hash = sha256.create();
  for (let start = 0; start < file.size; start += PIECE) {
    hash.update(new Uint8Array(await file.slice(start, start + PIECE).arrayBuffer()));
  }
  return [...hash.digest()].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
