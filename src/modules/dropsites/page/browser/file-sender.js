import { FileGone, Interrupted, NetworkError, StorageProblem } from './errors.js';
import { MULTIPART_THRESHOLD, partRange, planParts } from './plan-parts.js';

/** Concurrent parts of one file. */
const PARALLEL_PARTS = 4;
/** Maximum attempts of a request that the storage refuses, and of renewals of its credentials. */
const MAX_ATTEMPTS = 6;
const MAX_CREDENTIAL_RENEWALS = 3;
/** Error codes of S3 for invalid credentials. Other storages return AccessDenied, which new credentials may solve too. */
const CREDENTIALS_CODES = new Set(['ExpiredToken', 'InvalidToken', 'InvalidAccessKeyId', 'TokenRefreshRequired', 'AccessDenied']);

/**
 * The parts of a delivery that sending a file needs.
 * @typedef {object} TransferContext
 * @property {import('./storage-client.js').StorageClient} storage
 * @property {import('./request-slots.js').RequestSlots} slots
 * @property {import('./connection.js').Connection} connection
 * @property {import('./server-clock.js').ServerClock} clock
 * @property {() => Promise<void>} mayRun resolves when the delivery is not paused and the network works; throws Interrupted after a cancellation
 * @property {(file: UploadFile, refused: object | null) => Promise<import('./storage-client.js').Target>} target with credentials other than `refused`
 * @property {(transfer: Transfer) => () => void} watch registers a request that carries bytes; returns a function that removes it
 * @property {(file: UploadFile) => Promise<boolean>} isThere whether the storage has the whole object
 * @property {(file: UploadFile) => void} remember stores the progress of the file
 * @property {(bytes: number) => void} count counts bytes that were sent
 *
 * @typedef {import('./upload-file.js').UploadFile} UploadFile
 * @typedef {{ controller: AbortController, size: number, sent: number, startedAt: number }} Transfer
 */

/**
 * Uploads a file, or its missing parts; resolves when the object is complete.
 * @param {UploadFile} file
 * @param {TransferContext} context
 */
export async function sendFile(file, context) {
  if (file.progress.stored) return;
  const etag = file.size < MULTIPART_THRESHOLD ? await sendWhole(file, context) : await sendInParts(file, context);
  file.progress = { ...file.progress, stored: true, ...(etag && { etag }) };
  context.remember(file);
}

/**
 * @param {UploadFile} file
 * @param {TransferContext} context
 */
async function sendWhole(file, context) {
  const body = blobOf(file);
  return await sendBytes(file, context, body, (target, watch) => context.storage.putObject(target, body, watch));
}

/**
 * @param {UploadFile} file
 * @param {TransferContext} context
 * @returns {Promise<string>}
 */
async function sendInParts(file, context) {
  const plan = planParts(file.size);
  try {
    const { multipartId, parts } = await openMultipart(file, context, plan);
    const missing = numbers(plan.count).filter((number) => !parts.has(number));
    await Promise.all(numbers(Math.min(PARALLEL_PARTS, missing.length)).map(() => sendParts()));
    return await complete(file, context, { multipartId, plan, parts });

    async function sendParts() {
      for (let number = missing.shift(); number !== undefined; number = missing.shift()) {
        const part = number;
        const { start, end } = partRange(plan, part);
        const body = blobOf(file).slice(start, end);
        const put = (/** @type {any} */ target, /** @type {any} */ watch) =>
          context.storage.putPart(target, { multipartId, number: part, body }, watch);
        parts.set(part, await sendBytes(file, context, body, put));
        file.arrivedParts.set(part, parts.get(part) ?? '');
      }
    }
  } catch (error) {
    if (!(error instanceof StorageProblem) || error.code !== 'NoSuchUpload') throw error;
    // The multipart upload was completed just before a reload, or was aborted in the meantime; in the second case start again.
    if (await context.isThere(file)) return '';
    restart(file, context);
    return await sendInParts(file, context);
  }
}

/**
 * The id of the multipart upload and its arrived parts: those that this page sent or, after a reload, those that the storage lists.
 * @param {UploadFile} file
 * @param {TransferContext} context
 * @param {import('./plan-parts.js').PartPlan} plan
 */
async function openMultipart(file, context, plan) {
  const known = file.progress.multipartId;
  if (!known) {
    const multipartId = await ask(file, context, (target) => context.storage.createMultipart(target, blobOf(file)));
    file.progress = { ...file.progress, multipartId };
    context.remember(file);
    return { multipartId, parts: file.arrivedParts };
  }
  if (file.arrivedParts.size === 0) {
    const listed = await ask(file, context, (target) => context.storage.listParts(target, known));
    for (const { number, etag, size } of listed) {
      const { start, end } = partRange(plan, number);
      if (number > plan.count || size !== end - start) continue; // of another size: it is sent again and replaced
      file.arrivedParts.set(number, etag);
      file.arrived += size;
    }
  }
  return { multipartId: known, parts: file.arrivedParts };
}

/**
 * @param {UploadFile} file
 * @param {TransferContext} context
 * @param {{ multipartId: string, plan: import('./plan-parts.js').PartPlan, parts: Map<number, string> }} upload
 */
async function complete(file, context, { multipartId, plan, parts }) {
  if ([...parts.values()].includes('')) {
    // The storage hides entity tags from pages of other origins (its CORS lacks ExposeHeaders: ETag); its list has them.
    const listed = await ask(file, context, (target) => context.storage.listParts(target, multipartId));
    for (const { number, etag } of listed) parts.set(number, etag);
  }
  const all = numbers(plan.count).map((number) => ({ number, etag: parts.get(number) ?? '' }));
  return await ask(file, context, (target) => context.storage.completeMultipart(target, multipartId, all));
}

/**
 * @param {UploadFile} file
 * @param {TransferContext} context
 */
function restart(file, context) {
  const { multipartId: _, ...progress } = file.progress;
  Object.assign(file, { progress, arrived: 0, arrivedParts: new Map() });
  context.remember(file);
}

/**
 * Sends a request that carries bytes, with retries.
 * @template T
 * @param {UploadFile} file
 * @param {TransferContext} context
 * @param {Blob} body
 * @param {(target: import('./storage-client.js').Target, watch: import('./storage-client.js').Watch) => Promise<T>} request
 * @returns {Promise<T>}
 */
async function sendBytes(file, context, body, request) {
  return await context.slots.run(body.size, async () => {
    return await requestWithRetry(file, context, async (target) => {
      /** @type {Transfer} */
      const transfer = { controller: new AbortController(), size: body.size, sent: 0, startedAt: Date.now() };
      const unwatch = context.watch(transfer);
      let arrived = 0;
      try {
        const answer = await request(target, { signal: transfer.controller.signal, onProgress: (sent) => note(sent) });
        note(body.size);
        arrived = body.size;
        return answer;
      } finally {
        file.finishRequest(transfer, arrived);
        unwatch();
      }

      /** @param {number} sent */
      function note(sent) {
        const bytes = Math.min(sent, body.size);
        context.count(Math.max(0, bytes - transfer.sent));
        transfer.sent = Math.max(transfer.sent, bytes);
        file.trackRequest(transfer, bytes);
        if (sent > 0) context.connection.restore();
      }
    });
  });
}

/**
 * A request without bytes of the file.
 * @template T
 * @param {UploadFile} file
 * @param {TransferContext} context
 * @param {(target: import('./storage-client.js').Target) => Promise<T>} request
 * @returns {Promise<T>}
 */
const ask = async (file, context, request) => await context.slots.run(0, async () => await requestWithRetry(file, context, request));

/**
 * @template T
 * @param {UploadFile} file
 * @param {TransferContext} context
 * @param {(target: import('./storage-client.js').Target) => Promise<T>} request
 * @returns {Promise<T>}
 */
async function requestWithRetry(file, context, request) {
  /** @type {object | null} */
  let refused = null;
  let renewed = 0;
  for (let tries = 1; ; ) {
    await context.mayRun();
    const target = await context.target(file, refused);
    try {
      const answer = await request(target);
      context.connection.restore();
      return answer;
    } catch (error) {
      if (error instanceof Interrupted) continue; // mayRun decides whether to continue
      if (error instanceof NetworkError) {
        await assertReadable(file);
        context.connection.fail();
        continue;
      }
      if (!(error instanceof StorageProblem) || tries >= MAX_ATTEMPTS) throw error;
      refused = handleRefusal(error, target, context);
      tries += 1;
      if (refused) renewed += 1;
      if (renewed > MAX_CREDENTIAL_RENEWALS) throw error;
    }
  }
}

/**
 * Handles a refusal of the storage; returns the credentials that must not be used again. Throws permanent errors.
 * @param {StorageProblem} problem
 * @param {import('./storage-client.js').Target} target
 * @param {TransferContext} context
 */
function handleRefusal(problem, target, context) {
  if (problem.code === 'RequestTimeTooSkewed' && problem.serverTime) {
    context.clock.pin(problem.serverTime);
    return null;
  }
  if (CREDENTIALS_CODES.has(problem.code)) return target.credentials;
  if (problem.status < 500 && ![408, 429].includes(problem.status) && problem.code !== 'RequestTimeout') throw problem;
  context.connection.fail({ reason: 'busy' });
  return null;
}

/**
 * To the browser a file that was changed, moved or is on a removed drive looks like a network error; this check tells them apart.
 * @param {UploadFile} file
 */
async function assertReadable(file) {
  try {
    await blobOf(file).slice(0, 1).arrayBuffer();
  } catch {
    throw new FileGone('The file can no longer be read. It was changed, moved or deleted.');
  }
}

/** @param {UploadFile} file */
function blobOf({ file }) {
  if (!file) throw new FileGone('The file was not chosen again.');
  return file;
}

/** @param {number} count */
const numbers = (count) => Array.from({ length: count }, (_, index) => index + 1);
