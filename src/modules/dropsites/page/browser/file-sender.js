import { FileGone, Interrupted, NetworkError, StorageProblem } from './errors.js';
import { MULTIPART_FROM, partRange, planParts } from './plan-parts.js';

/** Parts of one file at a time. */
const PARALLEL_PARTS = 4;
/** A request that is refused so often, while the line is fine, will not succeed by itself; with new credentials, sooner. */
const MOST_TRIES = 6;
const MOST_CREDENTIALS = 3;
/** S3's words for credentials that do not count any more. Others say AccessDenied, which new ones may cure too. */
const CREDENTIALS_CODES = new Set(['ExpiredToken', 'InvalidToken', 'InvalidAccessKeyId', 'TokenRefreshRequired', 'AccessDenied']);

/**
 * What sending a file needs of the delivery that it is part of.
 * @typedef {object} Line
 * @property {import('./storage-client.js').StorageClient} storage
 * @property {import('./request-slots.js').RequestSlots} slots
 * @property {import('./connection.js').Connection} connection
 * @property {import('./server-clock.js').ServerClock} clock
 * @property {() => Promise<void>} mayRun resolves when it is not paused and the line is there; throws Interrupted when all was given up
 * @property {(file: UploadFile, refused: object | null) => Promise<import('./storage-client.js').Target>} target with credentials other than `refused`
 * @property {(transfer: Transfer) => () => void} watch tells of a request that carries bytes; the answer ends that
 * @property {(file: UploadFile) => Promise<boolean>} isThere whether the storage has the whole object
 * @property {(file: UploadFile) => void} remember writes down how far it came
 * @property {(bytes: number) => void} count bytes that went over the line just now
 *
 * @typedef {import('./upload-file.js').UploadFile} UploadFile
 * @typedef {{ controller: AbortController, size: number, sent: number, startedAt: number }} Transfer
 */

/**
 * Brings a file into the storage, from where it stands: whole, or in the parts that are missing. When it resolves the object is complete.
 * @param {UploadFile} file
 * @param {Line} line
 */
export async function sendFile(file, line) {
  if (file.progress.stored) return;
  const etag = file.size < MULTIPART_FROM ? await sendWhole(file, line) : await sendInParts(file, line);
  file.progress = { ...file.progress, stored: true, ...(etag && { etag }) };
  line.remember(file);
}

/**
 * @param {UploadFile} file
 * @param {Line} line
 */
async function sendWhole(file, line) {
  const body = blobOf(file);
  return await carry(file, line, body, (target, watch) => line.storage.putObject(target, body, watch));
}

/**
 * @param {UploadFile} file
 * @param {Line} line
 * @returns {Promise<string>}
 */
async function sendInParts(file, line) {
  const plan = planParts(file.size);
  try {
    const { multipartId, parts } = await openMultipart(file, line, plan);
    const missing = numbers(plan.count).filter((number) => !parts.has(number));
    await Promise.all(numbers(Math.min(PARALLEL_PARTS, missing.length)).map(() => sendParts()));
    return await complete(file, line, { multipartId, plan, parts });

    async function sendParts() {
      for (let number = missing.shift(); number !== undefined; number = missing.shift()) {
        const part = number;
        const { start, end } = partRange(plan, part);
        const body = blobOf(file).slice(start, end);
        const put = (/** @type {any} */ target, /** @type {any} */ watch) =>
          line.storage.putPart(target, { multipartId, number: part, body }, watch);
        parts.set(part, await carry(file, line, body, put));
        file.arrivedParts.set(part, parts.get(part) ?? '');
      }
    }
  } catch (error) {
    if (!(error instanceof StorageProblem) || error.code !== 'NoSuchUpload') throw error;
    // Completed just before a reload, or cleaned away meanwhile: then from the beginning.
    if (await line.isThere(file)) return '';
    restart(file, line);
    return await sendInParts(file, line);
  }
}

/**
 * The id of the upload in parts, and the parts that have arrived: those that we sent ourselves, or after a reload those that the storage has.
 * @param {UploadFile} file
 * @param {Line} line
 * @param {import('./plan-parts.js').PartPlan} plan
 */
async function openMultipart(file, line, plan) {
  const known = file.progress.multipartId;
  if (!known) {
    const multipartId = await ask(file, line, (target) => line.storage.createMultipart(target, blobOf(file)));
    file.progress = { ...file.progress, multipartId };
    line.remember(file);
    return { multipartId, parts: file.arrivedParts };
  }
  if (file.arrivedParts.size === 0) {
    const listed = await ask(file, line, (target) => line.storage.listParts(target, known));
    for (const { number, etag, size } of listed) {
      const { start, end } = partRange(plan, number);
      if (number > plan.count || size !== end - start) continue; // not ours: it is sent again, and replaced
      file.arrivedParts.set(number, etag);
      file.arrived += size;
    }
  }
  return { multipartId: known, parts: file.arrivedParts };
}

/**
 * @param {UploadFile} file
 * @param {Line} line
 * @param {{ multipartId: string, plan: import('./plan-parts.js').PartPlan, parts: Map<number, string> }} upload
 */
async function complete(file, line, { multipartId, plan, parts }) {
  if ([...parts.values()].includes('')) {
    // The storage hides entity tags from pages of other origins (its CORS lacks ExposeHeaders: ETag); its list has them.
    const listed = await ask(file, line, (target) => line.storage.listParts(target, multipartId));
    for (const { number, etag } of listed) parts.set(number, etag);
  }
  const all = numbers(plan.count).map((number) => ({ number, etag: parts.get(number) ?? '' }));
  return await ask(file, line, (target) => line.storage.completeMultipart(target, multipartId, all));
}

/**
 * @param {UploadFile} file
 * @param {Line} line
 */
function restart(file, line) {
  const { multipartId: _, ...progress } = file.progress;
  Object.assign(file, { progress, arrived: 0, arrivedParts: new Map() });
  line.remember(file);
}

/**
 * A request that carries bytes, again and again until it got through.
 * @template T
 * @param {UploadFile} file
 * @param {Line} line
 * @param {Blob} body
 * @param {(target: import('./storage-client.js').Target, watch: import('./storage-client.js').Watch) => Promise<T>} request
 * @returns {Promise<T>}
 */
async function carry(file, line, body, request) {
  return await line.slots.run(body.size, async () => {
    return await insist(file, line, async (target) => {
      /** @type {Transfer} */
      const transfer = { controller: new AbortController(), size: body.size, sent: 0, startedAt: Date.now() };
      const unwatch = line.watch(transfer);
      let arrived = 0;
      try {
        const answer = await request(target, { signal: transfer.controller.signal, onProgress: (sent) => note(sent) });
        note(body.size);
        arrived = body.size;
        return answer;
      } finally {
        file.land(transfer, arrived);
        unwatch();
      }

      /** @param {number} sent */
      function note(sent) {
        const bytes = Math.min(sent, body.size);
        line.count(Math.max(0, bytes - transfer.sent));
        transfer.sent = Math.max(transfer.sent, bytes);
        file.fly(transfer, bytes);
        if (sent > 0) line.connection.restore();
      }
    });
  });
}

/**
 * A request without bytes of the file.
 * @template T
 * @param {UploadFile} file
 * @param {Line} line
 * @param {(target: import('./storage-client.js').Target) => Promise<T>} request
 * @returns {Promise<T>}
 */
const ask = async (file, line, request) => await line.slots.run(0, async () => await insist(file, line, request));

/**
 * @template T
 * @param {UploadFile} file
 * @param {Line} line
 * @param {(target: import('./storage-client.js').Target) => Promise<T>} request
 * @returns {Promise<T>}
 */
async function insist(file, line, request) {
  /** @type {object | null} */
  let refused = null;
  let renewed = 0;
  for (let tries = 1; ; ) {
    await line.mayRun();
    const target = await line.target(file, refused);
    try {
      const answer = await request(target);
      line.connection.restore();
      return answer;
    } catch (error) {
      if (error instanceof Interrupted) continue; // mayRun knows whether it goes on
      if (error instanceof NetworkError) {
        await assertReadable(file);
        line.connection.fail();
        continue;
      }
      if (!(error instanceof StorageProblem) || tries >= MOST_TRIES) throw error;
      refused = react(error, target, line);
      tries += 1;
      if (refused) renewed += 1;
      if (renewed > MOST_CREDENTIALS) throw error;
    }
  }
}

/**
 * What can be done about a refusal; answers the credentials that are not to be used again. Throws what nothing can be done about.
 * @param {StorageProblem} problem
 * @param {import('./storage-client.js').Target} target
 * @param {Line} line
 */
function react(problem, target, line) {
  if (problem.code === 'RequestTimeTooSkewed' && problem.serverTime) {
    line.clock.pin(problem.serverTime);
    return null;
  }
  if (CREDENTIALS_CODES.has(problem.code)) return target.credentials;
  if (problem.status < 500 && ![408, 429].includes(problem.status) && problem.code !== 'RequestTimeout') throw problem;
  line.connection.fail({ reason: 'busy' });
  return null;
}

/**
 * A file that was changed, moved or is on a drive that is gone looks to the browser like a broken line.
 * @param {UploadFile} file
 */
async function assertReadable(file) {
  try {
    await blobOf(file).slice(0, 1).arrayBuffer();
  } catch {
    throw new FileGone('It cannot be read any more. It was changed, moved or deleted.');
  }
}

/** @param {UploadFile} file */
function blobOf({ file }) {
  if (!file) throw new FileGone('It was not chosen again.');
  return file;
}

/** @param {number} count */
const numbers = (count) => Array.from({ length: count }, (_, index) => index + 1);
