import { ProblemError } from '../problem-error.js';
import type { WaitReason } from './connection.js';
import { fileUnreadable, Interrupted, StorageError } from './errors.js';
import { MULTIPART_THRESHOLD, type PartPlan, partRange, planParts } from './plan-parts.js';
import type { RequestSlots } from './request-slots.js';
import type { ServerClock } from './server-clock.js';
import type { Credentials, StorageClient, Target, Watch } from './storage-client.js';
import type { FileSource, UploadFile } from './upload-file.js';

/** Concurrent parts of one file. */
const PARALLEL_PARTS = 4;
/** Maximum attempts of a request that the storage refuses, and of renewals of its credentials. */
const MAX_ATTEMPTS = 6;
const MAX_CREDENTIAL_RENEWALS = 3;
/** Error codes of S3 for invalid credentials. Other storages return AccessDenied, which new credentials may solve too. */
const CREDENTIALS_CODES = new Set(['ExpiredToken', 'InvalidToken', 'InvalidAccessKeyId', 'TokenRefreshRequired', 'AccessDenied']);

/** A request that carries bytes. */
export interface Transfer {
  readonly controller: AbortController;
  readonly size: number;
  sent: number;
  readonly startedAt: number;
}

/** The parts of an upload that sending a file needs. */
export interface TransferContext {
  readonly storage: StorageClient;
  readonly slots: RequestSlots;
  readonly clock: ServerClock;
  /** Resolves when the upload is not paused and the network works; throws Interrupted after a cancellation. */
  mayRun(): Promise<void>;
  /** Reports a request that failed temporarily; throws when the time for retries has ended. */
  fail(error: ProblemError, reason: WaitReason): void;
  /** Reports that a request succeeded. */
  restore(): void;
  /** Returns the location of the file, with credentials other than `refused`. */
  target(file: UploadFile, refused: Credentials | null): Promise<Target>;
  /** Registers a request that carries bytes; returns a function that removes it. */
  watch(transfer: Transfer): () => void;
  /** Whether the storage has the whole object. */
  isThere(file: UploadFile): Promise<boolean>;
  /** Stores the progress of the file. */
  remember(file: UploadFile): void | Promise<void>;
  /** Counts bytes that were sent. */
  count(bytes: number): void;
}

/** Uploads a file, or its missing parts; resolves when the object is complete. */
export async function sendFile(file: UploadFile, context: TransferContext): Promise<void> {
  if (file.progress.stored) return;
  const etag = file.size < MULTIPART_THRESHOLD ? await sendWhole(file, context) : await sendInParts(file, context);
  file.progress = { ...file.progress, stored: true, ...(etag && { etag }) };
  await context.remember(file);
}

async function sendWhole(file: UploadFile, context: TransferContext): Promise<string> {
  const source = sourceOf(file);
  // It was being sent when the program ended, so it may have arrived.
  if (file.progress.isBegun && (await context.isThere(file))) return '';
  file.progress = { ...file.progress, isBegun: true };
  await context.remember(file);
  const body = source.slice(0, file.size, source.type);
  return await sendBytes(file, context, { body, request: (target, watch) => context.storage.putObject(target, body, watch) });
}

async function sendInParts(file: UploadFile, context: TransferContext): Promise<string> {
  const plan = planParts(file.size);
  try {
    const { multipartId, parts } = await openMultipart(file, context, plan);
    const missing = numbers(plan.count).filter((number) => !parts.has(number));
    const sendParts = async () => {
      try {
        await sendNext();
      } finally {
        missing.length = 0; // after an error the other loops do not start further parts
      }
    };
    const sendNext = async () => {
      for (let number = missing.shift(); number !== undefined; number = missing.shift()) {
        const part = { multipartId, number, body: sourceOf(file).slice(...rangeOf(plan, number)) };
        const request = (target: Target, watch: Watch) => context.storage.putPart(target, part, watch);
        const etag = await sendBytes(file, context, { body: part.body, request });
        // A part of an upload that was restarted in the meantime does not count.
        if (file.progress.multipartId === multipartId) parts.set(number, etag);
      }
    };
    await Promise.all(numbers(Math.min(PARALLEL_PARTS, missing.length)).map(sendParts));
    return await complete(file, context, { multipartId, plan, parts });
  } catch (error) {
    if (!(error instanceof StorageError) || error.storageCode !== 'NoSuchUpload') throw error;
    // The multipart upload was completed just before a reload, or was aborted in the meantime; in the second case start again.
    if (await context.isThere(file)) return '';
    await restart(file, context);
    return await sendInParts(file, context);
  }
}

/** The id of the multipart upload and its arrived parts: those that were sent here or, after a reload, those that the storage lists. */
async function openMultipart(file: UploadFile, context: TransferContext, plan: PartPlan) {
  const known = file.progress.multipartId;
  if (!known) {
    const multipartId = await ask(file, context, (target) => context.storage.createMultipart(target, sourceOf(file)));
    file.progress = { ...file.progress, multipartId };
    await context.remember(file);
    return { multipartId, parts: file.arrivedParts };
  }
  if (file.arrivedParts.size === 0) {
    const listed = await ask(file, context, (target) => context.storage.listParts(target, known));
    for (const { number, etag, size } of listed) {
      const [start, end] = rangeOf(plan, number);
      if (number > plan.count || size !== end - start) continue; // its size differs: it is sent again and replaced
      file.arrivedParts.set(number, etag);
      file.arrived += size;
    }
  }
  return { multipartId: known, parts: file.arrivedParts };
}

async function complete(
  file: UploadFile,
  context: TransferContext,
  { multipartId, plan, parts }: { readonly multipartId: string; readonly plan: PartPlan; readonly parts: Map<number, string> },
): Promise<string> {
  if ([...parts.values()].includes('')) {
    // The storage hides entity tags from pages of other origins (its CORS lacks ExposeHeaders: ETag); its list has them.
    const listed = await ask(file, context, (target) => context.storage.listParts(target, multipartId));
    for (const { number, etag } of listed) parts.set(number, etag);
  }
  const all = numbers(plan.count).map((number) => ({ number, etag: parts.get(number) ?? '' }));
  return await ask(file, context, (target) => context.storage.completeMultipart(target, multipartId, all));
}

async function restart(file: UploadFile, context: TransferContext): Promise<void> {
  const { multipartId: _, ...progress } = file.progress;
  Object.assign(file, { progress, arrived: 0, arrivedParts: new Map() });
  await context.remember(file);
}

interface ByteRequest<T> {
  readonly body: Blob;
  request(target: Target, watch: Watch): Promise<T>;
}

/** Sends a request that carries bytes, with retries. */
async function sendBytes<T>(file: UploadFile, context: TransferContext, { body, request }: ByteRequest<T>): Promise<T> {
  return await context.slots.run(body.size, async () => {
    return await requestWithRetry(file, context, async (target) => {
      const transfer: Transfer = { controller: new AbortController(), size: body.size, sent: 0, startedAt: Date.now() };
      const note = (sent: number) => {
        const bytes = Math.min(sent, body.size);
        context.count(Math.max(0, bytes - transfer.sent));
        transfer.sent = Math.max(transfer.sent, bytes);
        file.trackRequest(transfer, bytes);
        if (sent > 0) context.restore();
      };
      const unwatch = context.watch(transfer);
      let arrived = 0;
      try {
        const answer = await request(target, { signal: transfer.controller.signal, onProgress: note });
        note(body.size);
        arrived = body.size;
        return answer;
      } finally {
        file.finishRequest(transfer, arrived);
        unwatch();
      }
    });
  });
}

/** A request without bytes of the file. */
const ask = async <T>(file: UploadFile, context: TransferContext, request: (target: Target) => Promise<T>): Promise<T> =>
  await context.slots.run(0, async () => await requestWithRetry(file, context, request));

async function requestWithRetry<T>(file: UploadFile, context: TransferContext, request: (target: Target) => Promise<T>): Promise<T> {
  let refused: Credentials | null = null;
  let renewed = 0;
  for (let tries = 1; ; ) {
    await context.mayRun();
    const target = await context.target(file, refused);
    try {
      const answer = await request(target);
      context.restore();
      return answer;
    } catch (error) {
      if (error instanceof Interrupted) continue; // mayRun decides whether to continue
      if (error instanceof ProblemError && error.code === 'network_error') {
        await assertReadable(file);
        context.fail(error, 'line');
        continue;
      }
      if (!(error instanceof StorageError) || tries >= MAX_ATTEMPTS) throw error;
      refused = handleRefusal(error, target, context);
      tries += 1;
      if (refused) renewed += 1;
      if (renewed > MAX_CREDENTIAL_RENEWALS) throw error;
    }
  }
}

/** Handles a refusal of the storage; returns the credentials that must not be used again. Throws permanent errors. */
function handleRefusal(problem: StorageError, target: Target, context: TransferContext): Credentials | null {
  if (problem.storageCode === 'RequestTimeTooSkewed' && problem.serverTime) {
    context.clock.pin(problem.serverTime);
    return null;
  }
  if (CREDENTIALS_CODES.has(problem.storageCode)) return target.credentials;
  if (problem.status < 500 && ![408, 429].includes(problem.status) && problem.storageCode !== 'RequestTimeout') throw problem;
  context.fail(problem, 'busy');
  return null;
}

/** Checks whether the file can be read: one that was changed or moved, or is on a removed drive, looks like a network error otherwise. */
async function assertReadable(file: UploadFile): Promise<void> {
  try {
    await sourceOf(file).slice(0, 1).arrayBuffer();
  } catch {
    throw fileUnreadable('The file can no longer be read. It was changed, moved or deleted.');
  }
}

function sourceOf({ file }: UploadFile): FileSource {
  if (!file) throw fileUnreadable('The file was not chosen again.');
  return file;
}

function rangeOf(plan: PartPlan, number: number): [number, number] {
  const { start, end } = partRange(plan, number);
  return [start, end];
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
