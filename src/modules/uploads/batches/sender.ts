import { type Caller, DROPSITE_SCOPE } from '../../../shared/auth/index.js';
import { generalErrors } from '../../../shared/errors/index.js';
import { uploadErrors } from '../uploads.errors.js';
import type { UploadBatch } from './upload-batch.entity.js';

/** Who says something about an upload: a caller, or somebody who only knows the upload's id and the dropsite's client. */
export interface Sender {
  readonly caller: Caller | null;
  /** The header `clientid`. */
  readonly clientId: string | null;
}

/**
 * Refuses those who may not finish a batch. Users of the customer may; a dropsite session those of its sender at its link; without a session
 * the upload's id, which cannot be guessed, and the dropsite's client prove an anonymous sender. Throws `not_found`, as if there was no such
 * batch, `unauthenticated` or `client_mismatch`.
 */
export function assertMayFinish({ caller, clientId }: Sender, batch: Pick<UploadBatch, 'customerId' | 'userId' | 'clientId'>): void {
  if (!caller) return assertAnonymous(clientId, batch);
  const isSession = caller.scopes.has(DROPSITE_SCOPE);
  const isOwn = caller.userId === batch.userId && (!isSession || caller.clientId === batch.clientId);
  if (!isOwn && (isSession || caller.customerId !== batch.customerId)) throw unknownUpload();
}

/**
 * Refuses all but the user or session whose batch it is: of a sender's sessions the one that prepared it last, because a session is had by
 * everybody who knows the sender's e-mail address. Throws `not_found`.
 */
export function assertOwn(caller: Caller, batch: Pick<UploadBatch, 'userId' | 'sessionId'>): void {
  const isSession = caller.scopes.has(DROPSITE_SCOPE);
  if (caller.userId !== batch.userId || (isSession && caller.token?.id !== batch.sessionId)) throw unknownUpload();
}

function assertAnonymous(clientId: string | null, batch: Pick<UploadBatch, 'userId' | 'clientId'>): void {
  if (batch.clientId === null || batch.userId !== null)
    throw generalErrors.unauthenticated('Sign in: send an access token as Authorization: Bearer.');
  if (clientId !== batch.clientId) throw clientMismatch();
}

export const clientMismatch = () =>
  uploadErrors.client_mismatch("Send the dropsite's clientId, which deliver answers, in the header clientid.");

export const unknownUpload = () => generalErrors.not_found('There is no such upload.');
