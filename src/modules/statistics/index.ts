export { DailyFigures } from './daily-figures.entity.js';
export { DeliveryCountsService } from './delivery-counts.service.js';
export { type Device, deviceOf } from './device.js';
export { countSeen, type Hundredths, hundredthsOf, NONE_SEEN, parseHundredths } from './hundredths.js';
export { Play } from './play.entity.js';
export { StatisticsModule } from './statistics.module.js';
export type { Delivered } from './statistics.repository.js';
