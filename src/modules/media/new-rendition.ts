import type { ContainerType } from './media-container.entity.js';

/** What can be read of a file; null: it has none, or nobody knows. */
export interface MediaFacts {
  /** Pixels in which it is shown, after its rotation. */
  readonly width: number | null;
  readonly height: number | null;
  /** Seconds. */
  readonly duration: number | null;
  /** Of the picture, else of the sound: `h264`, `mjpeg`, `mp3`. */
  readonly codec: string | null;
}

/** A file that was made of an original and is in the storage. */
export interface NewRendition {
  readonly type: Exclude<ContainerType, 'watermark'>;
  /** Lower case, without dot. */
  readonly fileExtension: string;
  /** Bytes, entity tag and version as the storage tells them. */
  readonly fileSize: number;
  readonly etag: string;
  readonly version: string | null;
  readonly s3Key: string;
  /** Made in the format's test mode. */
  readonly test: boolean;
  readonly facts: MediaFacts;
}
