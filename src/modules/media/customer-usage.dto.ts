import type { QuotaName } from '../../shared/quotas/index.js';

/** One quota. */
export class QuotaResponse {
  /** @example 1000 */
  limit: number;
  /** What there is now, of a quota of a day what was used since midnight (UTC). @example 12 */
  used: number;
}

/** Every quota of the customer. */
export class QuotasResponse implements Record<QuotaName, QuotaResponse> {
  formats: QuotaResponse;
  playerConfigurations: QuotaResponse;
  subscriptions: QuotaResponse;
  dropsites: QuotaResponse;
  downloadLinks: QuotaResponse;
  /** Runs of subscriptions that have not ended. */
  waitingRuns: QuotaResponse;
  /** Transcodings that have not ended. */
  waitingTranscodings: QuotaResponse;
  /** Each recipient is one mail. */
  mailsPerDay: QuotaResponse;
  /** Announced by senders of dropsites who have no account, corrected by what arrived. */
  anonymousUploadBytesPerDay: QuotaResponse;
}

/** What is in the storage. */
export class StoredFilesResponse {
  /** @example 10485760 */
  bytes: number;
  /** Originals and renditions. @example 40 */
  items: number;
}

/** What the customer uses, and what it may use. */
export class CustomerUsageResponse {
  quotas: QuotasResponse;
  storage: StoredFilesResponse;
}
