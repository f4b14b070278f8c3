export {
  type DailyQuota,
  QUOTA_NAMES,
  QUOTAS,
  Quota,
  type QuotaDeclaration,
  type QuotaName,
  type QuotaUsage,
  type ResourceQuota,
} from './quota.entity.js';
export { QuotasRepository } from './quotas.repository.js';
export { QuotasService } from './quotas.service.js';
