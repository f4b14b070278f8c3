export { Audit } from './audit.js';
export { AuditModule } from './audit.module.js';
export { AuditRecord } from './audit-record.entity.js';
