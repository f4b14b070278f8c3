export { type AcceptedObject, AcceptedObjects } from './accepted-objects.js';
export { ArrivedFiles } from './arrived-files.js';
export { DuplicateFinder } from './duplicate-finder.js';
export { mediaErrors } from './media.errors.js';
export { MediaModule } from './media.module.js';
export { type ContainerType, type License, MediaContainer, type MetadataEntry } from './media-container.entity.js';
export { MediaIntake, type NewOriginal, type PlannedOriginal } from './media-intake.js';
export { MediaInventory } from './media-inventory.js';
export { type ItemStatus, MediaItem } from './media-item.entity.js';
export {
  type ContainerDescription,
  type ContainerForDelivery,
  type ContainerSource,
  type DeliverableContainer,
  type DeliverableItem,
  MediaReader,
} from './media-reader.js';
export { MediaRenditions, type OriginalReport, type RenditionSource } from './media-renditions.js';
export type { MediaFacts, NewRendition } from './new-rendition.js';
export type { Original } from './original.js';
export { type ContainerRemovalListener, ContainerRemovalListeners } from './removal/container-removal-listener.js';
export { MediaRemoval } from './removal/media-removal.js';
export { type MediaRemovalListener, MediaRemovalListeners } from './removal/media-removal-listener.js';
