export { DeliveryModule } from './delivery.module.js';
export { ArchiveDownload } from './download-links/archive/archive-download.entity.js';
export { ArchiveLayout, ArchiveLayoutSection } from './download-links/archive/archive-layout.entity.js';
export { DownloadLink } from './download-links/download-link.entity.js';
export {
  DownloadLinksService,
  findIgnoredTemplate,
  type NewDownloadLink,
  refuseDownloadLink,
} from './download-links/download-links.service.js';
export { BandwidthBudget } from './files/bandwidth-budget.entity.js';
export { PlaybackLease } from './files/playback-lease.entity.js';
export { tokensInPath } from './streaming/tokens-in-path.js';
