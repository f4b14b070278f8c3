export { DROPSITE_TYPES, Dropsite, type DropsiteType } from './dropsite.entity.js';
export { DropsiteReader } from './dropsite-reader.js';
export { DropsitesModule } from './dropsites.module.js';
export { DropsiteDeclarations } from './management/dropsite-declarations.js';
export { DropsiteCode } from './sessions/dropsite-code.entity.js';
export { DropsiteUsage } from './uploads/dropsite-usage.entity.js';
