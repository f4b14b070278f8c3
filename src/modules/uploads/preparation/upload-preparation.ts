import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { Database, isUniqueViolation } from '../../../shared/database/index.js';
import { DomainError } from '../../../shared/errors/index.js';
import { inTurns } from '../../../shared/fairness/index.js';
import { Jobs } from '../../../shared/jobs/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { Clock } from '../../../shared/time/index.js';
import { refuseInvalid } from '../../../shared/validation/index.js';
import { ActivitiesRepository, ActivityHandlers, type NewActivity, type Outcome } from '../../activity/index.js';
import { MediaIntake } from '../../media/index.js';
import type { BatchItem } from '../batches/batch-item.js';
import type { UploadBatch } from '../batches/upload-batch.entity.js';
import { type BatchOwner, type NewBatch, UploadBatchesRepository } from '../batches/upload-batches.repository.js';
import type { Credentials } from '../credentials/credential-issuer.js';
import { latestExpiry, UploadCredentials } from '../credentials/upload-credentials.js';
import { uploadErrors } from '../uploads.errors.js';
import { BatchPlanner } from './batch-planner.js';
import { BatchRecorder, type NewRecord } from './batch-recorder.js';
import type { CheckedItem } from './check-item.js';
import { type CheckedPayload, checkPayload, type ItemRule } from './check-payload.js';
import { findOversized } from './find-oversized.js';
import { isUploadDocument, type UploadDocument, uploadDocument, withSentFields } from './upload-document.js';

const TASK = 'prepare_upload';

export interface UploadRequest {
  readonly owner: BatchOwner;
  /** UUID v4; without it one is made. */
  readonly uploadId?: string;
  /** The items as they were sent, at most 1,000. */
  readonly payload: readonly unknown[];
  /** False: answer with the jobId at once, and prepare in a job. */
  readonly wait: boolean;
  /** Leaves items out, which then stand in `error`. Asked once, for a new batch. */
  readonly refuse?: ItemRule;
  /** Runs once for a new batch, before anything else is done, and may refuse it by throwing. `refused` counts the items that are left out. */
  readonly precheck?: (items: readonly CheckedItem[], refused: number) => Promise<void>;
  /** Runs in the transaction that makes the batch, and may refuse it by throwing. */
  readonly admit?: (items: readonly CheckedItem[]) => Promise<void>;
}

/** Makes batches ready for uploading: what there is to upload, where, and with which credentials. */
@Injectable()
export class UploadPreparation implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly batches: UploadBatchesRepository,
    private readonly planner: BatchPlanner,
    private readonly recorder: BatchRecorder,
    private readonly credentials: UploadCredentials,
    private readonly media: MediaIntake,
    private readonly activities: ActivitiesRepository,
    private readonly handlers: ActivityHandlers,
    private readonly jobs: Jobs,
    private readonly storage: ObjectStorage,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('upload', { completeResult: async ({ customerId }, result) => await this.completeResult(customerId, result) });
    this.jobs.handle<{ batchId: number }>(TASK, async ({ batchId }) => await this.prepareInJob(batchId));
  }

  /**
   * Prepares a batch; the same request again answers with the same ids and keys and fresh credentials. Nothing is made when it throws:
   * `validation_failed` for a payload that is too large to be kept, `upload_id_conflict`, `upload_completed`, `storage_unavailable`, or what `precheck` and `admit` throw.
   */
  async prepare(request: UploadRequest): Promise<UploadDocument> {
    const { owner, payload } = request;
    const uploadId = request.uploadId?.toLowerCase() ?? randomUUID(); // RFC 9562 section 4: capitals are read, and not written
    const before = request.uploadId && (await this.batches.find(owner.customerId, uploadId));
    if (before) return await this.replay(before, request);
    refuseInvalid(await inTurns(findOversized(payload)));
    const checked = await inTurns(checkPayload(payload, { customerId: owner.customerId, uploadId }, request.refuse));
    let failure: unknown = null;
    try {
      const made = await this.prepareNew(request, uploadId, checked);
      if (made) return made;
    } catch (error) {
      failure = error;
    }
    // An equal request was quicker, perhaps so much that it left nothing of a limit to this one.
    const meanwhile = await this.batches.find(owner.customerId, uploadId);
    if (!meanwhile) throw failure ?? conflict(uploadId);
    return await this.replay(meanwhile, request);
  }

  /** Null when there is a batch of this uploadId already. */
  private async prepareNew(request: UploadRequest, uploadId: string, checked: CheckedPayload): Promise<UploadDocument | null> {
    await request.precheck?.(checked.items, request.payload.length - checked.items.length);
    return request.wait ? await this.prepareNow(request, uploadId, checked) : await this.prepareLater(request, uploadId, checked);
  }

  private async prepareNow(request: UploadRequest, uploadId: string, checked: CheckedPayload): Promise<UploadDocument | null> {
    const { owner, payload, admit } = request;
    const { record, document } = await this.describe({ uploadId, jobId: randomUUID(), payload }, owner, checked);
    const isNew = await this.recorder.record(record, admit && (async () => await admit(checked.items)));
    return isNew ? document : null;
  }

  private async prepareLater(request: UploadRequest, uploadId: string, checked: CheckedPayload): Promise<UploadDocument | null> {
    const insert = async () => {
      const batch = await this.insert(request, uploadId, checked);
      if (!batch) return null;
      await this.activities.start(activityOf(batch, request.owner));
      await this.jobs.add(TASK, { batchId: batch.id });
      return this.document({ ...batch, payload: [], items: [], problems: [] });
    };
    return await this.database.attempt(async () => await this.database.transaction(insert));
  }

  private async insert({ owner, payload, admit }: UploadRequest, uploadId: string, { items, refused }: CheckedPayload) {
    const jobId = randomUUID();
    const id = await this.batches.insert({ ...owner, uploadId, jobId, payload, problems: refused }, this.clock.now());
    if (id === null) return null;
    await admit?.(items);
    return { id, uploadId, jobId, payload: [...payload] };
  }

  /** What the job does. A storage that fails ends the job, and the batch with it, so that the same request can be sent again. */
  private async prepareInJob(batchId: number): Promise<void> {
    const batch = await this.batches.findById(batchId);
    if (batch?.status === 'reaped')
      await this.activities.finish(batch.jobId, { code: 'upload_completed', message: 'Nobody came to prepare it in time.' });
    if (batch?.status !== 'preparing') return;
    try {
      const refused = new Map(batch.problems.map((problem) => [problem.index, problem]));
      const checked = await inTurns(checkPayload(batch.payload, batch, ({ index }) => refused.get(index) ?? null));
      const { record } = await this.describe(batch, batch, checked);
      await this.recorder.fill(batch.id, record);
    } catch (error) {
      const refusal = isUniqueViolation(error) ? conflict(batch.uploadId) : error; // its keys are those of a batch of long ago
      if (!(refusal instanceof DomainError)) throw error; // the job is tried again
      await this.database.transaction(async () => {
        await this.activities.finish(batch.jobId, { code: refusal.code, message: refusal.detail });
        await this.batches.drop(batch.id);
      });
    }
  }

  /** What is stored of a batch and what is answered. Nothing of it goes on when this throws. */
  private async describe(
    { uploadId, jobId, payload }: Pick<NewBatch, 'uploadId' | 'jobId' | 'payload'>,
    owner: BatchOwner,
    checked: CheckedPayload,
  ): Promise<{ record: NewRecord; document: UploadDocument }> {
    const [issued, planned] = await Promise.allSettled([
      this.credentials.issue(checked.uploads, uploadId),
      this.planner.plan(checked, owner),
    ]);
    if (issued.status === 'rejected') throw issued.reason;
    if (planned.status === 'rejected') throw planned.reason;
    const credentials = issued.value;
    const { originals, items, problems } = planned.value;
    const expiresAt = credentials.size > 0 ? latestExpiry(credentials.values()) : this.clock.now();
    const content = { uploadId, jobId, payload, items, problems };
    const batch = { ...ownerOf(owner), ...content, expiresAt };
    const document = this.document(content, credentials);
    const activity = { ...activityOf(content, owner), ...this.outcome(content, credentials) };
    return { record: { batch, originals, activity }, document };
  }

  private async replay(batch: UploadBatch, { owner, payload, wait }: UploadRequest): Promise<UploadDocument> {
    const isSame = batch.userId === owner.userId && batch.clientId === owner.clientId && (await this.batches.hasPayload(batch.id, payload));
    if (!isSame) throw conflict(batch.uploadId);
    if (batch.status === 'preparing') return this.document({ ...batch, payload: [], items: [], problems: [] });
    const refreshed = await this.refresh(batch, owner);
    return wait ? refreshed : this.document({ ...batch, items: [], problems: [] });
  }

  /** Fresh credentials for those of its items that have not arrived. Throws `upload_completed` when it has ended. */
  private async refresh(batch: UploadBatch, { sessionId }: BatchOwner): Promise<UploadDocument> {
    assertOpen(batch);
    const credentials = await this.credentials.issue(await this.withoutArrived(batch.items), batch.uploadId);
    return await this.database.transaction(async () => {
      const given = { expiresAt: latestExpiry(credentials.values()), sessionId };
      if (!(await this.batches.refresh(batch.id, given, this.clock.now()))) throw completed();
      await this.activities.succeed(activityOf(batch, batch), this.outcome(batch, credentials));
      return this.document(batch, credentials);
    });
  }

  /** What was accepted is not to be written again. */
  private async withoutArrived(items: readonly BatchItem[]): Promise<BatchItem[]> {
    const waiting = await this.media.findOpen(items.map(({ mediaId }) => mediaId));
    return items.filter(({ mediaId }) => waiting.has(mediaId));
  }

  /** The result of the job is what was answered. What was sent of the items stands in the batch, and is added when somebody asks. */
  private outcome(batch: BatchContent, credentials: ReadonlyMap<string, Credentials>): Outcome {
    const stored = { ...batch, payload: [] };
    const result = this.document(stored);
    if (credentials.size === 0) return { result };
    return { result, secret: { result: this.document(stored, credentials), expiresAt: latestExpiry(credentials.values()) } };
  }

  private async completeResult(customerId: number, result: object): Promise<object> {
    if (!isUploadDocument(result)) return result;
    const batch = await this.batches.find(customerId, result.uploadId);
    return batch ? withSentFields(result, batch.payload) : result;
  }

  private document(batch: BatchContent, credentials?: ReadonlyMap<string, Credentials>): UploadDocument {
    return uploadDocument(batch, this.storage.location, { credentials, transferAcceleration: this.config.s3TransferAcceleration });
  }
}

type BatchContent = Pick<UploadBatch, 'uploadId' | 'jobId' | 'items' | 'problems'> & { readonly payload: readonly unknown[] };

/** Refuses a batch that has ended. */
export function assertOpen({ status }: Pick<UploadBatch, 'status'>): void {
  if (status === 'completed' || status === 'reaped') throw completed();
}

/** A batch that a job prepares is its own owner, and more. */
const ownerOf = ({ customerId, creatorId, userId, clientId, dropsiteId, sessionId }: BatchOwner): BatchOwner => ({
  customerId,
  creatorId,
  userId,
  clientId,
  dropsiteId,
  sessionId,
});

const activityOf = ({ jobId: id }: { jobId: string }, { customerId, clientId }: BatchOwner): NewActivity => ({
  ...{ id, customerId, clientId },
  type: 'upload',
});

const conflict = (uploadId: string) =>
  uploadErrors.upload_id_conflict(`The uploadId ${uploadId} names a batch with another payload; leave it out, or choose a new UUID.`);

const completed = () => uploadErrors.upload_completed('This batch has ended; prepare a new one without this uploadId.');
