export { DropsiteFieldsDto } from './dropsite.dto.js';
export { Dropsite } from './dropsite.entity.js';
export { DropsitesModule } from './dropsites.module.js';
export { DropsitesService } from './dropsites.service.js';
export { DropsiteCode } from './sessions/dropsite-code.entity.js';
export { DropsiteUsage } from './uploads/dropsite-usage.entity.js';
