import { Injectable } from '@nestjs/common';
import { type Caller, DROPSITE_SCOPE } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { generalErrors } from '../../../shared/errors.js';
import { uploadErrors } from '../uploads.errors.js';
import type { UploadBatch } from './upload-batch.entity.js';
import { type Sender, UploadBatchesRepository } from './upload-batches.repository.js';

/** Finds batches for the senders that prepared them. */
@Injectable()
export class UploadBatchesService {
  constructor(
    private readonly batches: UploadBatchesRepository,
    private readonly clock: Clock,
  ) {}

  /** The batch with this uploadId, at this dropsite if one is given. Throws `not_found`, and what assertMayFinish throws. */
  async get(sender: Sender, uploadId: string, dropsiteId?: number): Promise<UploadBatch> {
    const batch = await this.batches.findForSender(sender, uploadId);
    if (!batch || batch.dropsiteId !== (dropsiteId ?? batch.dropsiteId)) throw unknownUpload();
    assertMayFinish(sender, batch);
    return batch;
  }

  /**
   * The batch with this uploadId at a dropsite, to read its progress: the id cannot be guessed, so it is sufficient, even after the session has
   * ended. Throws `not_found`, or `client_mismatch` without the dropsite's client.
   */
  async getForProgress(clientId: string | null, uploadId: string, dropsiteId: number): Promise<UploadBatch> {
    const batch = await this.batches.findForSender({ caller: null, clientId }, uploadId);
    if (batch?.dropsiteId !== dropsiteId) throw unknownUpload();
    if (batch.clientId !== clientId) throw clientMismatch();
    return batch;
  }

  /** Records that the upload of a batch starts; false if that was recorded before, or the batch has ended. */
  async markAnnounced(id: number): Promise<boolean> {
    return await this.batches.markAnnounced(id, this.clock.now());
  }
}

/**
 * Rejects senders that may not finish a batch. Users of the customer may finish all of its batches, a dropsite session those of its sender at its
 * link; if it names a client, that must be the dropsite's. An anonymous sender is identified by the upload's id, which cannot be guessed, and the dropsite's client. Throws `not_found`, as for a batch
 * that does not exist, `unauthenticated` or `client_mismatch`.
 */
export function assertMayFinish({ caller, clientId }: Sender, batch: Pick<UploadBatch, 'customerId' | 'userId' | 'clientId'>): void {
  if (!caller) return assertAnonymous(clientId, batch);
  const isSession = caller.scopes.has(DROPSITE_SCOPE);
  const isOwn = caller.userId === batch.userId && (!isSession || caller.clientId === batch.clientId);
  if (!isOwn && (isSession || caller.customerId !== batch.customerId)) throw unknownUpload();
  if (isSession && clientId !== null && clientId !== batch.clientId) throw clientMismatch();
}

/**
 * Rejects all callers except the user or session that owns the batch. Of a sender's sessions, only the one that last prepared the batch is accepted,
 * because a session is issued to anyone who knows the sender's e-mail address. Throws `not_found`.
 */
export function assertOwner(caller: Caller, batch: Pick<UploadBatch, 'userId' | 'sessionId'>): void {
  const isSession = caller.scopes.has(DROPSITE_SCOPE);
  if (caller.userId !== batch.userId || (isSession && caller.token?.id !== batch.sessionId)) throw unknownUpload();
}

function assertAnonymous(clientId: string | null, batch: Pick<UploadBatch, 'userId' | 'clientId'>): void {
  if (batch.clientId === null || batch.userId !== null)
    throw generalErrors.unauthenticated('Sign in: send an access token as Authorization: Bearer.');
  if (clientId !== batch.clientId) throw clientMismatch();
}

const clientMismatch = () => uploadErrors.client_mismatch("Send the dropsite's clientId, which deliver returns, in the header clientid.");

/** Whether everything but the accepted items of a batch is removed, also what arrives later. */
export const isEmptied = ({ status }: Pick<UploadBatch, 'status'>): boolean => status === 'closed' || status === 'abandoned';

/** The error for a batch that its sender has abandoned. */
export const abandoned = () => uploadErrors.upload_completed('The upload was abandoned; prepare a new one with another uploadId.');

/** The error for unknown batches, and for those that the sender may not see. */
export const unknownUpload = () => generalErrors.not_found('The upload does not exist.');
