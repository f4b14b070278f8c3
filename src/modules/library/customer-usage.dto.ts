import { IsInt, IsOptional } from 'class-validator';
import { CastInteger } from '../../shared/http/index.js';
import type { QuotaName } from '../../shared/quotas/index.js';

/** The customer whose usage is read. */
export class CustomerUsageDto {
  /** The customer; by default the caller's own. Only operators may name another. @example 1 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  customerId?: number;
}

/** One quota. */
export class QuotaResponse {
  /** @example 1000 */
  limit: number;
  /** The current use; of a daily quota, the use since midnight (UTC). @example 12 */
  used: number;
}

/** Every quota of the customer. */
export class QuotasResponse implements Record<QuotaName, QuotaResponse> {
  formats: QuotaResponse;
  playerConfigurations: QuotaResponse;
  subscriptions: QuotaResponse;
  dropsites: QuotaResponse;
  downloadLinks: QuotaResponse;
  /** Subscription runs that have not ended. */
  waitingRuns: QuotaResponse;
  /** Transcodings that have not ended. */
  waitingTranscodings: QuotaResponse;
  /** Each recipient counts as one mail. */
  mailsPerDay: QuotaResponse;
  /** Announced by anonymous senders of dropsites, corrected by what arrived. */
  anonymousUploadBytesPerDay: QuotaResponse;
}

/** The stored files. */
export class StoredFilesResponse {
  /** Including the sizes in which pictures were delivered. @example 10485760 */
  bytes: number;
  /** Originals, renditions and tracks. @example 40 */
  items: number;
}

/** The customer's use of its quotas and of the storage. */
export class CustomerUsageResponse {
  quotas: QuotasResponse;
  storage: StoredFilesResponse;
}
