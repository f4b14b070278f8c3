export { DeliveryModule } from './delivery.module.js';
export { DownloadLink } from './download-links/download-link.entity.js';
export { BandwidthBudget } from './files/bandwidth-budget.entity.js';
export { PlaybackLease } from './files/playback-lease.entity.js';
