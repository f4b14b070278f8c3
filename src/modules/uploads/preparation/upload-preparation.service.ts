import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import { Database, isForeignKeyViolation, isUniqueViolation } from '../../../shared/database/index.js';
import { DomainError } from '../../../shared/errors.js';
import { inTurns } from '../../../shared/fairness/index.js';
import { JobsService } from '../../../shared/jobs/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { refuseInvalid } from '../../../shared/validation/index.js';
import { ActivitiesRepository, ActivityHandlers, type NewActivity, type Outcome } from '../../activity/index.js';
import { MediaItemsRepository } from '../../media/index.js';
import type { BatchItem, UploadBatch } from '../batches/upload-batch.entity.js';
import { type BatchOwner, type NewBatch, UploadBatchesRepository } from '../batches/upload-batches.repository.js';
import { abandoned } from '../batches/upload-batches.service.js';
import { UploadBytesService } from '../batches/upload-bytes.service.js';
import type { UploadKeyParts } from '../batches/upload-key.js';
import type { Credentials } from '../credentials/credential-issuer.port.js';
import { latestExpiry, UploadCredentialsService } from '../credentials/upload-credentials.service.js';
import {
  type BatchContent,
  isUploadDocument,
  toUploadDocumentResponse,
  type UploadDocumentResponse,
  withSentFields,
} from '../upload-document.dto.js';
import { uploadItems } from '../upload-metrics.js';
import { uploadErrors } from '../uploads.errors.js';
import type { CheckedItem } from './check-item.js';
import { type CheckedPayload, checkPayload, findOversized, type ItemRule } from './check-payload.js';
import { NewBatchesService, type NewRecord } from './new-batches.service.js';

const TASK = 'prepare_upload';

export interface UploadRequest {
  readonly owner: BatchOwner;
  /** UUID v4; generated if absent. */
  readonly uploadId?: string;
  /** The items as they were sent, at most 1,000. */
  readonly payload: readonly unknown[];
  /** False: answer with the jobId at once, and prepare in a job. */
  readonly wait: boolean;
  /** A further rule; items that it refuses are reported in `error`. Applied once, to a new batch. */
  readonly refuse?: ItemRule;
  /** Runs once for a new batch, before credentials are issued, and may refuse the batch by throwing. `refused` is the number of refused items. */
  readonly precheck?: (items: readonly CheckedItem[], refused: number) => Promise<void>;
  /** Runs in the transaction that inserts the batch, and may refuse the batch by throwing. */
  readonly admit?: (items: readonly CheckedItem[]) => Promise<void>;
}

/** Prepares batches: which files can be uploaded, under which keys, and with which credentials. */
@Injectable()
export class UploadPreparationService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly batches: UploadBatchesRepository,
    private readonly newBatches: NewBatchesService,
    private readonly bytes: UploadBytesService,
    private readonly credentials: UploadCredentialsService,
    private readonly media: MediaItemsRepository,
    private readonly activities: ActivitiesRepository,
    private readonly handlers: ActivityHandlers,
    private readonly jobs: JobsService,
    private readonly storage: ObjectStorage,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('upload', { completeResult: async ({ customerId }, result) => await this.completeResult(customerId, result) });
    this.jobs.handle<{ batchId: number }>(TASK, async ({ batchId }) => await this.prepareInJob(batchId));
  }

  /**
   * Prepares a batch. Repeating the request returns the same ids and keys with new credentials. Stores nothing if it throws: `validation_failed` for
   * a payload that is too large to be stored, `upload_id_conflict`, `upload_completed`, `too_many_bytes`, `storage_unavailable`, or what `precheck` and `admit` throw.
   */
  async prepare(request: UploadRequest): Promise<UploadDocumentResponse> {
    const { owner, payload } = request;
    const uploadId = request.uploadId?.toLowerCase() ?? randomUUID(); // RFC 9562 section 4: capitals are accepted as input, but not written
    const before = request.uploadId && (await this.batches.find(owner.customerId, uploadId));
    if (before) return await this.replay(before, request);
    refuseInvalid(await inTurns(findOversized(payload)));
    const checked = await this.check(payload, { ...owner, uploadId }, request.refuse);
    let failure: unknown = null;
    try {
      const document = await this.prepareNew(request, uploadId, checked);
      if (document) return document;
    } catch (error) {
      // The container of a track was removed in between: preparing again refuses the item.
      if (isForeignKeyViolation(error) && checked.items.some(({ track }) => track !== null))
        return await this.prepare({ ...request, uploadId });
      failure = error;
    }
    // A concurrent equal request has inserted the batch, and may have used up a limit that this one needs.
    const meanwhile = await this.batches.find(owner.customerId, uploadId);
    if (!meanwhile) throw failure ?? conflict(uploadId);
    return await this.replay(meanwhile, request);
  }

  private async check(payload: readonly unknown[], batch: UploadKeyParts, refuse: ItemRule | undefined): Promise<CheckedPayload> {
    return await this.newBatches.refuseTracks(await inTurns(checkPayload(payload, batch, refuse)), batch.customerId);
  }

  /** Prepares a new batch; null if the customer has a batch with this uploadId. */
  private async prepareNew(request: UploadRequest, uploadId: string, checked: CheckedPayload): Promise<UploadDocumentResponse | null> {
    await request.precheck?.(checked.items, request.payload.length - checked.items.length);
    const document = await (request.wait ? this.prepareNow(request, uploadId, checked) : this.prepareLater(request, uploadId, checked));
    if (document) {
      uploadItems.prepared.count += checked.items.length;
      uploadItems.refused.count += request.payload.length - checked.items.length;
    }
    return document;
  }

  private async prepareNow(request: UploadRequest, uploadId: string, checked: CheckedPayload): Promise<UploadDocumentResponse | null> {
    const { owner, payload, admit } = request;
    const { record, document } = await this.buildRecord({ uploadId, jobId: randomUUID(), payload }, owner, checked);
    const isNew = await this.newBatches.insert(record, admit && (async () => await admit(checked.items)));
    return isNew ? document : null;
  }

  private async prepareLater(request: UploadRequest, uploadId: string, checked: CheckedPayload): Promise<UploadDocumentResponse | null> {
    const insert = async () => {
      const batch = await this.insertPreparing(request, uploadId, checked);
      if (!batch) return null;
      await this.activities.start(activityOf(batch, request.owner));
      await this.jobs.add(TASK, { batchId: batch.id });
      return this.document({ ...batch, payload: [], items: [], problems: [] });
    };
    return await this.database.attempt(async () => await this.database.transaction(insert));
  }

  private async insertPreparing({ owner, payload, admit }: UploadRequest, uploadId: string, { items, refused }: CheckedPayload) {
    const jobId = randomUUID();
    const id = await this.batches.insertPreparing({ ...owner, uploadId, jobId, payload, problems: refused }, this.clock.now());
    if (id === null) return null;
    await admit?.(items);
    return { id, uploadId, jobId, payload: [...payload] };
  }

  /** Runs the job. If the storage fails, the job fails and the batch is deleted, so that the same request can be sent again. */
  private async prepareInJob(batchId: number): Promise<void> {
    const batch = await this.batches.findById(batchId);
    if (batch?.status === 'reaped')
      await this.activities.finish(batch.jobId, { code: 'upload_completed', message: 'The batch was not prepared in time.' });
    if (batch?.status !== 'preparing') return;
    try {
      const refused = new Map(batch.problems.map((problem) => [problem.index, problem]));
      const checked = await this.check(batch.payload, batch, ({ index }) => refused.get(index) ?? null);
      const { record } = await this.buildRecord(batch, batch, checked);
      await this.newBatches.completePreparation(batch.id, record);
    } catch (error) {
      const refusal = isUniqueViolation(error) ? conflict(batch.uploadId) : error; // a deleted batch of this uploadId has left media under its keys
      if (!(refusal instanceof DomainError)) throw error; // the job is repeated
      await this.database.transaction(async () => {
        await this.activities.finish(batch.jobId, { code: refusal.code, message: refusal.detail });
        await this.batches.deletePreparing(batch.id);
      });
    }
  }

  /** Builds the rows of a new batch and the response to its request. Both steps have ended when this throws. */
  private async buildRecord(
    { uploadId, jobId, payload }: Pick<NewBatch, 'uploadId' | 'jobId' | 'payload'>,
    owner: BatchOwner,
    checked: CheckedPayload,
  ): Promise<{ record: NewRecord; document: UploadDocumentResponse }> {
    const [issued, planned] = await Promise.allSettled([
      this.credentials.issue(checked.uploads, { uploadId, customerId: owner.customerId }),
      this.newBatches.plan(checked, owner),
    ]);
    if (issued.status === 'rejected') throw issued.reason;
    if (planned.status === 'rejected') throw planned.reason;
    const credentials = issued.value;
    const { media, items, problems } = planned.value;
    const expiresAt = credentials.size > 0 ? latestExpiry(credentials.values()) : this.clock.now();
    const content = { uploadId, jobId, payload, items, problems };
    const batch = { ...owner, ...content, expiresAt };
    const document = this.document(content, credentials);
    const activity = { ...activityOf(content, owner), ...this.outcome(content, credentials) };
    return { record: { batch, media, activity }, document };
  }

  private async replay(batch: UploadBatch, { owner, payload, wait }: UploadRequest): Promise<UploadDocumentResponse> {
    const isSame = batch.userId === owner.userId && batch.clientId === owner.clientId && (await this.batches.hasPayload(batch.id, payload));
    if (!isSame) throw conflict(batch.uploadId);
    if (batch.status === 'preparing') return this.document({ ...batch, payload: [], items: [], problems: [] });
    const renewed = await this.renewCredentials(batch, owner);
    return wait ? renewed : this.document({ ...batch, items: [], problems: [] });
  }

  /** Issues new credentials for the items that have not arrived. Throws `upload_completed` or `too_many_bytes` if the batch has ended. */
  private async renewCredentials(batch: UploadBatch, { sessionId }: BatchOwner): Promise<UploadDocumentResponse> {
    assertOpen(batch);
    await this.bytes.check(batch);
    const credentials = await this.credentials.issue(await this.withoutUploaded(batch.items), batch);
    return await this.database.transaction(async () => {
      const given = { expiresAt: latestExpiry(credentials.values()), sessionId };
      if (!(await this.batches.renew(batch.id, given, this.clock.now()))) throw completed();
      await this.activities.succeed(activityOf(batch, batch), this.outcome(batch, credentials));
      return this.document(batch, credentials);
    });
  }

  /** The items without those that have arrived, because accepted objects must not be written again. */
  private async withoutUploaded(items: readonly BatchItem[]): Promise<BatchItem[]> {
    const open = await this.media.findOpen(items.map(({ mediaId }) => mediaId));
    return items.filter(({ mediaId }) => open.has(mediaId));
  }

  /**
   * The result of the job, which is also the response. The sent fields of the items are stored with the batch, and are added when the result is read.
   */
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

  private document(batch: BatchContent, credentials?: ReadonlyMap<string, Credentials>): UploadDocumentResponse {
    return toUploadDocumentResponse(batch, this.storage.location, {
      credentials,
      transferAcceleration: this.config.s3TransferAcceleration,
    });
  }
}

/** Throws `upload_completed` for a batch that has ended. */
function assertOpen({ status }: Pick<UploadBatch, 'status'>): void {
  if (status === 'completed' || status === 'reaped') throw completed();
  if (status === 'abandoned') throw abandoned();
}

const activityOf = ({ jobId: id }: { jobId: string }, { customerId, clientId }: BatchOwner): NewActivity => ({
  ...{ id, customerId, clientId },
  type: 'upload',
});

const conflict = (uploadId: string) =>
  uploadErrors.upload_id_conflict(`The uploadId ${uploadId} names a batch with another payload; leave it out, or choose a new UUID.`);

const completed = () => uploadErrors.upload_completed('This batch has ended; prepare a new one without this uploadId.');
