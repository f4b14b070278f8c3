export { MediaModule } from './media.module.js';
export { type ContainerType, MediaContainer, type MetadataEntry } from './media-container.entity.js';
export { MediaIntake, type NewOriginal, type Original, type PlannedOriginal } from './media-intake.js';
export { type ItemStatus, MediaItem } from './media-item.entity.js';
