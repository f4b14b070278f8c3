export { type AcceptedObject, AcceptedObjectsService, contentMark, RENDITIONS_PREFIX } from './accepted-objects.service.js';
export { mayRunScripts } from './active-file.js';
export { ChecksumsJob } from './checksums/checksums.job.js';
export { ChecksumsRepository, type ListedItem } from './checksums/checksums.repository.js';
export type {
  ColorProfile,
  FileDescription,
  FileProblem,
  MeasuredTimes,
  MediaFacts,
  MediaStreams,
  PictureRate,
  ProblemCode,
} from './file-description.js';
export { PROBLEM_CODES, problemOf } from './file-description.js';
export { FileDescriptionsRepository, type InspectedFile } from './file-descriptions.repository.js';
export { FirstFactsService } from './first-facts.service.js';
export { type LostRendition, LostRenditions } from './lost-renditions.port.js';
export { mediaErrors } from './media.errors.js';
export { MediaModule } from './media.module.js';
export {
  CONTAINER_FLAGS,
  CONTAINER_TYPES,
  type ContainerFlag,
  type ContainerType,
  IN_TRASH,
  type License,
  MAX_NAME_CHARACTERS,
  MAX_TEXT_CHARACTERS,
  MEDIA_TYPES,
  MediaContainer,
  type MediaType,
  type MetadataEntry,
} from './media-container.entity.js';
export {
  type ChangeableContainer,
  type LockedContainer,
  MediaContainersRepository,
  sentBy,
  type TagChanges,
} from './media-containers.repository.js';
export {
  type ItemStatus,
  isTextFile,
  isTextRole,
  MediaItem,
  type StoryboardFacts,
  type StreamingFacts,
  StreamingIndex,
  type TextTrackRole,
  type TrackRole,
} from './media-item.entity.js';
export { MediaItemsRepository, type SuccessfulItem, type UploadedFile, wasAccepted } from './media-items.repository.js';
export {
  type ContainerDescription,
  type ContainerForDelivery,
  type ContainerSource,
  type DeliverableContainer,
  type DeliverableItem,
  MediaReaderRepository,
  type TrackLanguages,
} from './media-reader.repository.js';
export { ContainerRemovalHooks, MediaRemovalHooks, MediaRemovalService } from './media-removal.service.js';
export { MediaRenditionsService, type OriginalReport } from './media-renditions.service.js';
export type { NewItem, NewRendition, NewTrack, PlannedItem, RenditionSource } from './new-media-item.js';
export { NewMediaItemsRepository } from './new-media-items.repository.js';
export {
  chooseLadderSize,
  type LadderSize,
  ladderOf,
  nearestSize,
  type PictureShape,
  previewSizeOf,
  type WantedSize,
} from './pictures/picture-ladder.js';
export { PictureRemovalService } from './pictures/picture-removal.service.js';
export { PictureSize } from './pictures/picture-size.entity.js';
export { PictureSource } from './pictures/picture-source.entity.js';
export { type KnownPictures, type PictureItem, PicturesRepository, type ReadySize } from './pictures/pictures.repository.js';
export { assToWebVtt } from './tracks/ass-text.js';
export { type EmbeddedTrack, EmbeddedTracksService } from './tracks/embedded-tracks.service.js';
export { canonicalLanguage, languageName, MAX_LANGUAGE_CHARACTERS } from './tracks/languages.js';
export { MAX_TEXT_BYTES, TrackConversionsService } from './tracks/track-conversions.service.js';
export { findTrackRole, MAX_LABEL_CHARACTERS, MAX_TRACKS, TRACK_ROLE_DESCRIPTORS, trackRole } from './tracks/track-roles.js';
export { isTrack, type Track, TrackUploadsService } from './tracks/track-uploads.service.js';
