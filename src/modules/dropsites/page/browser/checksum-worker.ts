// Computes SHA-256 in a worker, one file after the other, so that neither the page nor the upload is blocked.
import { sha256 } from '@noble/hashes/sha2.js';

/** In bytes; read at once. */
const PIECE = 4 * 1024 * 1024;
let last = Promise.resolve();

self.onmessage = ({ data: { uuid, file } }: MessageEvent<{ uuid: string; file: Blob }>) => {
  last = last.then(async () => self.postMessage({ uuid, sha256: await digest(file).catch(() => null) }));
};

async function digest(file: Blob): Promise<string> {
  const hash = sha256.create();
  for (let start = 0; start < file.size; start += PIECE) {
    hash.update(new Uint8Array(await file.slice(start, start + PIECE).arrayBuffer()));
  }
  return [...hash.digest()].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
