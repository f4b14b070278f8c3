import type { IncomingMessage } from 'node:http';
import { OidcRecordsRepository, type StoredRecord } from '../provider/oidc-records.repository.js';
import type { FormBody } from '../provider/read-form.js';
import { requestScope } from '../provider/request-scope.js';

/** A token request on its way to oidc-provider: what was sent, and the form that it will see. */
export interface TokenParameters {
  readonly request: IncomingMessage;
  readonly body: FormBody;
  readonly form: Record<string, string | string[]>;
}

/** Reads a code or refresh token once for this check and for oidc-provider. */
export async function readRecord(
  records: OidcRecordsRepository,
  request: IncomingMessage,
  key: { model: string; identifier: string },
): Promise<StoredRecord | null> {
  const record = await records.find(key.model, key.identifier);
  requestScope(request).records.set(`${key.model}:${key.identifier}`, record);
  return record;
}
