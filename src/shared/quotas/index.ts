export { Quota } from './quota.entity.js';
export {
  type DailyQuota,
  QUOTA_NAMES,
  QUOTAS,
  type QuotaDeclaration,
  type QuotaName,
  type QuotaUsage,
  type ResourceQuota,
} from './quota-limits.js';
export { Quotas } from './quotas.js';
export { QuotasModule } from './quotas.module.js';
