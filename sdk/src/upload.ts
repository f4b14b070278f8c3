import type { Call } from './call.js';
import type { Send } from './http.js';
import { type InputProblem, ProblemError } from './problem-error.js';
import { defaultStore, type UploadStore } from './upload-store.js';
import { Batch, MAX_BATCH_ITEMS, type UploadDocument } from './uploader/batch.js';
import { type MediaType, mediaTypeOf } from './uploader/media-type.js';
import { MULTIPART_THRESHOLD } from './uploader/plan-parts.js';
import { ServerClock } from './uploader/server-clock.js';
import type { UploadService } from './uploader/service-calls.js';
import { type FileSource, UploadFile } from './uploader/upload-file.js';
import { Uploader } from './uploader/uploader.js';
import type { UploadMemory } from './uploader/uploader-options.js';

/** A batch of a thousand files takes several seconds. */
const TIMEOUT_MS = 120_000;
/** The time for retries: long enough for the restart of a router or of the service; the caller decides about longer interruptions. */
const RETRY_WITHIN_MS = 300_000;

/** A file with further information: other members are fields of createUpload, such as `metadata`, `checksum`, `mediaContainerId` or `role`. */
export interface UploadInput {
  readonly file: FileSource;
  /** Required for a Blob that is not a File. */
  readonly fileName?: string;
  /** By default derived from the extension or the MIME type; `document` if the file is not video, audio or an image. */
  readonly type?: MediaType;
  readonly [field: string]: unknown;
}

export interface UploadProgress {
  /** Bytes; it never decreases. */
  readonly loaded: number;
  readonly total: number;
}

export interface UploadOptions {
  readonly onProgress?: (progress: UploadProgress) => void;
  /** Stops the upload; it can be continued with the same `uploadId`, or given up with `abandonUpload`. */
  readonly signal?: AbortSignal;
  /** A UUID (version 4) with which the upload can continue after an interruption: pass the same files and the same id. */
  readonly uploadId?: string;
  /** Stores the progress that this needs: by default in `localStorage` in pages, and in files in the temporary folder on Node.js. */
  readonly store?: UploadStore | null;
}

export interface UploadResult {
  readonly uploadId: string;
  readonly status: 'completed';
  /** The uploaded items, in the order of the files. */
  readonly items: readonly UploadedItem[];
}

export interface AbandonedUpload {
  readonly uploadId: string;
  /** The number of media containers that were removed because their files had not arrived. */
  readonly removed: number;
}

export interface UploadedItem {
  readonly mediaContainerId: number;
  readonly status: 'successful';
}

interface Surroundings {
  readonly client: { readonly POST: Call<'post'> };
  /** Sends a request with the token of the client, once. */
  readonly send: Send;
}

/** Uploads files to the account of the caller; resolves when all of them have arrived and the upload is complete. */
export async function uploadFiles(
  { client, send }: Surroundings,
  inputs: Iterable<File | UploadInput>,
  { onProgress, signal, uploadId, store = defaultStore() }: UploadOptions = {},
): Promise<UploadResult> {
  signal?.throwIfAborted();
  const files = Array.from(inputs, toUploadFile);
  if (files.length === 0) throw new TypeError('upload() needs at least one file.');
  const clock = new ServerClock();
  const id = uploadId ?? crypto.randomUUID();
  const memory = uploadId && store ? new FileMemory(store, uploadId) : null;
  await memory?.restore(files);
  const service = uploadService({ client, send, clock, signal });
  const report = reporter(files, onProgress);
  const uploader = new Uploader({
    ...{ service, clock, patienceMs: RETRY_WITHIN_MS, onBytes: report, onChange: report, onPrepared: refuseIfRefused },
    ...(memory && { memory }),
  });
  const stop = () => uploader.stop();
  signal?.addEventListener('abort', stop);
  try {
    const batches = await splitFiles(id, files);
    await uploader.start(batches, []);
    signal?.throwIfAborted();
    if (uploader.phase === 'delivered')
      return resultOf(
        id,
        files.map(({ item }) => item?.id ?? 0),
      );
    if (uploader.phase === 'stuck') throw incomplete(files);
    return await resultOfEnded(service, { id, batches, files, problem: uploader.problem });
  } finally {
    signal?.removeEventListener('abort', stop);
    uploader.stop(); // after an error nothing more is sent
  }
}

/** Gives up the batches of an upload. Those after the first one may not have been prepared yet. */
export async function abandonUpload(
  { DELETE }: { readonly DELETE: Call<'delete'> },
  uploadId: string,
  { files = 1 }: { readonly files?: number } = {},
): Promise<AbandonedUpload> {
  let removed = 0;
  for (const [index, id] of (await batchIds(uploadId, files)).entries()) {
    try {
      removed += (await DELETE('/v5/s3/upload/{uploadId}', { params: { path: { uploadId: id } } })).data.removed;
    } catch (error) {
      if (index === 0 || !(error instanceof ProblemError) || error.code !== 'not_found') throw error;
      break;
    }
  }
  return { uploadId, removed };
}

function toUploadFile(input: File | UploadInput, index: number): UploadFile {
  const { file, fileName, type, ...fields } = 'file' in input ? input : { file: input };
  const name = fileName ?? (file as Partial<File>).name;
  if (!name) throw new TypeError(`File ${index} has no name: pass a File, or { file, fileName }.`);
  return new UploadFile({ id: String(index), path: name, size: file.size, type: type ?? mediaTypeOf(name, file.type), file, fields });
}

/** Batches of up to a thousand files. Their ids are derived from the first one, so that all of them can be continued. */
async function splitFiles(uploadId: string, files: readonly UploadFile[]): Promise<Batch[]> {
  const ids = await batchIds(uploadId, files.length);
  return ids.map((id, index) => new Batch(id, files.slice(index * MAX_BATCH_ITEMS, (index + 1) * MAX_BATCH_ITEMS)));
}

async function batchIds(uploadId: string, files: number): Promise<string[]> {
  const count = Math.ceil(files / MAX_BATCH_ITEMS);
  return await Promise.all(Array.from({ length: count }, (_, index) => (index === 0 ? uploadId : deriveId(`${uploadId}/${index}`))));
}

/** A UUID made from the hash of a name. */
async function deriveId(name: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name)));
  const digits = Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

/** The calls of an upload, with the caller's token. The uploader repeats them itself, so they bypass the retries of the client. */
function uploadService({
  client,
  send,
  clock,
  signal,
}: {
  readonly clock: ServerClock;
  readonly signal: AbortSignal | undefined;
} & Surroundings) {
  const call = async <T>(post: (init: { fetch: Send; signal: AbortSignal }) => Promise<{ data: unknown; response: Response }>) => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const { data, response } = await post({ fetch: send, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
      clock.learn(response.headers.get('date'));
      return data as T;
    } catch (error) {
      if (timeout.aborted && !signal?.aborted) throw ProblemError.network('The service does not answer.', error);
      throw error;
    }
  };
  return {
    createUpload: async ({ uploadId, payload }) =>
      await call<UploadDocument>((init) => client.POST('/v5/s3/createUpload', { ...init, body: { uploadId, payload: payload as never } })),
    itemSuccess: async ({ bucket, s3Key: key }) => await call((init) => client.POST('/v5/s3/success', { ...init, body: { bucket, key } })),
    uploadComplete: async (uploadId) =>
      await call<Completed>((init) => client.POST('/v5/s3/uploadComplete', { ...init, body: { uploadId } })),
  } satisfies UploadService;
}

interface Completed {
  readonly items: readonly { readonly mediaContainerId: number; readonly status: string }[];
}

/** Calls `onProgress` whenever the number of sent bytes exceeds its previous maximum, so a failed request does not decrease it. */
function reporter(files: readonly UploadFile[], onProgress: UploadOptions['onProgress']): () => void {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let loaded = -1;
  return () => {
    const sent = files.reduce((sum, file) => sum + file.sent, 0);
    if (sent <= loaded) return;
    loaded = sent;
    onProgress?.({ loaded, total });
  };
}

/** Stops before anything is sent if the service refuses a file: the caller corrects the list and uses another `uploadId`. */
function refuseIfRefused(files: readonly UploadFile[]): void {
  const refused = files.filter(({ state }) => state === 'refused');
  if (refused.length === 0) return;
  const detail = `The service refused ${refused.length} of ${files.length} files; nothing was uploaded. ${refused[0]?.problem}`;
  throw new ProblemError({ status: 200, code: 'files_refused', detail, errors: problemsOf(files, 'refused') });
}

function incomplete(files: readonly UploadFile[]): ProblemError {
  const errors = problemsOf(files, 'failed');
  const detail = `${errors.length} of ${files.length} files could not be uploaded. ${errors[0]?.message}`;
  return new ProblemError({ status: 0, code: 'upload_incomplete', detail, errors });
}

const problemsOf = (files: readonly UploadFile[], wanted: UploadFile['state']) =>
  files.flatMap(({ state, problem, problemCode }, index) =>
    state === wanted ? [{ path: `files.${index}`, code: problemCode, message: problem }] : [],
  );

const resultOf = (uploadId: string, containers: readonly number[]): UploadResult => ({
  uploadId,
  status: 'completed',
  items: containers.map((mediaContainerId) => ({ mediaContainerId, status: 'successful' })),
});

/** The result of an upload that was already complete, because its program ended before it received the response. Otherwise throws `problem`. */
async function resultOfEnded(
  service: { uploadComplete(uploadId: string): Promise<Completed> },
  { id, batches, files, problem }: { id: string; batches: readonly Batch[]; files: readonly UploadFile[]; problem: Error | null },
): Promise<UploadResult> {
  if (!(problem instanceof ProblemError) || problem.code !== 'upload_completed') throw problem;
  const completed = await Promise.all(batches.map(({ uploadId }) => service.uploadComplete(uploadId)));
  const items = completed.flatMap((batch) => batch.items).filter(({ status }) => status === 'successful');
  if (items.length !== files.length) throw problem;
  return resultOf(
    id,
    items.map(({ mediaContainerId }) => mediaContainerId),
  );
}

/** The stored progress of each file that is being sent; the service knows the files that have arrived. */
class FileMemory implements UploadMemory {
  readonly #store: UploadStore;
  readonly #prefix: string;
  readonly #fingerprints = new Map<string, string>();

  constructor(store: UploadStore, uploadId: string) {
    this.#store = store;
    this.#prefix = `media-delivery-upload:${uploadId}:`;
  }

  /** Throws `file_changed` if a file differs from the one that was being sent under this id: their parts must not be mixed. */
  async restore(files: readonly UploadFile[]): Promise<void> {
    const changed: InputProblem[] = [];
    for (const file of files) {
      const { fingerprint, ...progress } = await this.#read(file.id);
      if (fingerprint === undefined) continue;
      if (fingerprint === (await fingerprintOf(file))) file.progress = progress;
      else changed.push({ path: `files.${file.id}`, code: 'file_changed', message: `${file.path} has changed since its upload began.` });
    }
    if (changed.length === 0) return;
    const detail = `${changed[0]?.message} Start another upload with a new uploadId.`;
    throw new ProblemError({ status: 0, code: 'file_changed', detail, errors: changed });
  }

  async note(file: UploadFile): Promise<void> {
    const { id, progress } = file;
    try {
      if (progress.delivered || Object.keys(progress).length === 0) return await this.#store.removeItem(`${this.#prefix}${id}`);
      const fingerprint = this.#fingerprints.get(id) ?? (await fingerprintOf(file));
      this.#fingerprints.set(id, fingerprint);
      await this.#store.setItem(`${this.#prefix}${id}`, JSON.stringify({ ...progress, fingerprint }));
    } catch {
      // No space, or a read-only file system: the upload continues, but after an interruption this file starts from the beginning.
    }
  }

  async #read(id: string): Promise<UploadFile['progress'] & { readonly fingerprint?: string }> {
    try {
      return JSON.parse((await this.#store.getItem(`${this.#prefix}${id}`)) ?? '{}');
    } catch {
      return {}; // invalid or truncated data is ignored
    }
  }
}

/** Small files are hashed completely, larger ones by samples: reading all of a large file would take as long as sending it. */
const SAMPLES = 16;
const SAMPLE_BYTES = 64 * 1024;

/** The hash of size and content. The date is not included, because programs create a new File of the same bytes. */
async function fingerprintOf({ file, size }: UploadFile): Promise<string> {
  const content = file && size >= MULTIPART_THRESHOLD ? samplesOf(file) : [file?.slice(0, size) ?? ''];
  const hash = await crypto.subtle.digest('SHA-256', await new Blob([`${size}\n`, ...content]).arrayBuffer());
  return btoa(String.fromCharCode(...new Uint8Array(hash)));
}

/** Pieces at equal distances, with the first and the last bytes. */
const samplesOf = (file: FileSource): Blob[] =>
  Array.from({ length: SAMPLES }, (_, index) => {
    const start = Math.floor((index * (file.size - SAMPLE_BYTES)) / (SAMPLES - 1));
    return file.slice(start, start + SAMPLE_BYTES);
  });
