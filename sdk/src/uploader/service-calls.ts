import { ProblemError } from '../problem-error.js';
import { SharedWork } from '../shared-work.js';
import type { UploadDocument, UploadRequest } from './batch.js';
import type { Connection, WaitReason } from './connection.js';
import { Interrupted } from './errors.js';
import type { ProcessedItem } from './upload-file.js';

/** Maximum attempts of a call that the service refuses temporarily. */
const MAX_ATTEMPTS = 8;
/** Failures after which an upload with limited patience stops if it never received a response: the address is probably wrong. */
const MAX_FIRST_ATTEMPTS = 3;
/** A longer wait, as for a limit that is reset at midnight, is an error that a person should see. */
const MAX_WAIT_SECONDS = 60;
/** Refusals that a new session solves. */
const SESSION_CODES = new Set(['unauthenticated', 'token_expired', 'session_required']);

/** The calls of an upload to the service; all of them throw ProblemError. */
export interface UploadService {
  /** Called before everything else. */
  open?(): Promise<void>;
  /** Called when a call was refused with 401, before it is repeated. Without it the call fails. */
  reopen?(): Promise<void>;
  createUpload(request: UploadRequest): Promise<UploadDocument>;
  /** Announces the files of a new batch to the recipient; its failures are ignored. */
  uploadStarted?(notice: { readonly uploadId: string; readonly totalSize: number; readonly items: number }): Promise<void>;
  itemSuccess(item: ProcessedItem): Promise<unknown>;
  uploadComplete(uploadId: string): Promise<unknown>;
}

/** Calls the service for an upload: waits while the connection is lost or the service is busy, and repeats. */
export class ServiceCalls {
  readonly #service: UploadService;
  readonly #connection: Connection;
  readonly #patienceMs: number;
  readonly #opening = new SharedWork<void>();
  #isStopped = false;

  constructor(service: UploadService, connection: Connection, patienceMs = Number.POSITIVE_INFINITY) {
    this.#service = service;
    this.#connection = connection;
    this.#patienceMs = patienceMs;
  }

  /** Opens the session; concurrent calls open it once. */
  async open(open = this.#service.open): Promise<void> {
    if (!open) return;
    await this.#opening.get(() => this.run(() => open.call(this.#service), { reopens: false }));
  }

  /** Makes waiting and later calls throw Interrupted. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Runs a call, and repeats it after temporary failures. `reopens`: whether a session that ended is renewed. */
  async run<T>(call: () => Promise<T>, { reopens = true } = {}): Promise<T> {
    const { reopen } = this.#service;
    for (let tries = 1; ; tries += 1) {
      await this.#connection.ready();
      if (this.#isStopped) throw new Interrupted();
      try {
        const answer = await call();
        this.#connection.restore();
        return answer;
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        const isLost = error.code === 'network_error';
        if (isLost || error.code === 'rate_limited') tries -= 1;
        else if (tries >= MAX_ATTEMPTS) throw error;
        else if (reopens && reopen && SESSION_CODES.has(error.code) && tries < 3) {
          await this.open(reopen);
          continue;
        } else if (!isTemporary(error)) throw error;
        this.fail(error, isLost ? 'line' : 'busy');
      }
    }
  }

  /** Makes all requests wait; throws the error if the time for retries has ended. */
  fail(error: ProblemError, reason: WaitReason): void {
    const { failures, since, isFirstContact } = this.#connection.outage;
    const isOver = failures > 0 && Date.now() - since > this.#patienceMs;
    const neverAnswered = isFirstContact && failures >= MAX_FIRST_ATTEMPTS && Number.isFinite(this.#patienceMs);
    if (reason === 'line' && (isOver || neverAnswered)) throw error;
    this.#connection.fail({ reason, atLeastSeconds: error.retryAfter ?? 0 });
  }
}

const isTemporary = ({ status, retryAfter }: ProblemError): boolean =>
  status >= 500 || (status === 429 && retryAfter !== null && retryAfter <= MAX_WAIT_SECONDS);
