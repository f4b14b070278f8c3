import type { MediaFacts } from './file-description.js';
import type { ContainerType, MediaType, MetadataEntry } from './media-container.entity.js';
import type { MediaItem, StoryboardFacts, StreamingFacts, StreamingIndex, TrackRole } from './media-item.entity.js';

/** A file that is about to be uploaded. */
export interface NewItem {
  readonly type: ContainerType;
  /** The format of originals of this type; null for a track. */
  readonly formatId: number | null;
  readonly fileName: string;
  readonly fileExtension: string;
  /** Bytes, as announced. */
  readonly fileSize: number;
  readonly s3Key: string;
  readonly checksum: string | null;
  readonly metadata: readonly MetadataEntry[];
  /** Null: an original, for which a media container is created. */
  readonly track: NewTrack | null;
}

/** The properties of a track that is added to an existing media container. */
export interface NewTrack extends Pick<MediaItem, 'mediaContainerId' | 'language' | 'label' | 'isDefault'> {
  readonly role: TrackRole;
}

/** The owner of new media. */
export interface MediaOwner {
  readonly customerId: number;
  readonly creatorId: number;
  /** The id of the dropsite that it is uploaded to, or null. */
  readonly origin: number | null;
  /** Who uploads it to the dropsite; null: a user without a dropsite, or an anonymous sender. */
  readonly senderId: number | null;
  readonly bucket: string;
}

/** A file with the ids of its container and its media item. */
export interface PlannedItem extends NewItem, MediaOwner {
  readonly mediaContainerId: number;
  readonly mediaId: number;
}

/** A rendition of an original, which is already in the storage. */
export interface NewRendition {
  readonly type: MediaType;
  /** Lower case, without dot. */
  readonly fileExtension: string;
  /** Bytes, entity tag, version and CRC-32 as the storage reports them. */
  readonly fileSize: number;
  readonly etag: string;
  readonly version: string | null;
  readonly crc32: number | null;
  readonly s3Key: string;
  /** Made in the format's test mode. */
  readonly test: boolean;
  readonly facts: MediaFacts;
  /** Null: not a streaming rendition. */
  readonly streaming: { readonly facts: StreamingFacts; readonly index: Omit<StreamingIndex, 'mediaItemId'> } | null;
  /** Null: not a storyboard. */
  readonly storyboard: StoryboardFacts | null;
  /** How viewers find one of several sounds of a film; absent: it is not one of these. */
  readonly track?: Pick<MediaItem, 'language' | 'label' | 'isDefault'>;
}

/** The source and the format of a rendition. */
export interface RenditionSource {
  readonly mediaContainerId: number;
  /** The original. */
  readonly sourceMediaId: number;
  readonly formatId: number;
}
