import { ApiProperty } from '@nestjs/swagger';

/** A file has arrived: the client reported its item, and the file was found in the storage. */
export class S3SuccessPayload {
  /** @example 41 */
  mediaContainerId: number;
  /** @example 57 */
  mediaId: number;
  /** @example 3 */
  customerId: number;
  /** The role of a track; null for an original. Absent in events of earlier versions. @example "subtitles" */
  @ApiProperty({ type: String, nullable: true, required: false })
  role: string | null;
  /** The language of a text track (BCP 47). Absent in events of earlier versions. @example "de" */
  @ApiProperty({ type: String, nullable: true, required: false })
  language: string | null;
}

/** A file that has arrived cannot be used, or not wholly. */
export class MediaProblemPayload {
  /** @example 41 */
  mediaContainerId: number;
  /** @example 57 */
  mediaId: number;
  /** As in `problem` of the media item. @example "cut_off" */
  @ApiProperty({ enum: ['empty', 'source_unreadable', 'cut_off', 'encrypted', 'wrong_type', 'infected', 'too_large'] })
  code: 'empty' | 'source_unreadable' | 'cut_off' | 'encrypted' | 'wrong_type' | 'infected' | 'too_large';
  /** A sentence that says what to do. @example "The end of the picture is missing. Upload the complete file again." */
  message: string;
}

/** A batch was completed by its client or, if the client did not complete it, by the service after a while. */
export class UploadCompletePayload {
  /** @example "5f0c2a52-2e2b-4f5e-9d8e-3a5c1f6f1b7a" */
  uploadId: string;
  /** The successful uploads. @example [41, 42] */
  mediaContainerIds: number[];
  /** At a dropsite: the first of the mediaContainerIds. @example 41 */
  mediaContainerId?: number;
  /** At a dropsite. @example 7 */
  dropsiteId?: number;
}

/** A batch of a dropsite was completed. */
export class DropsiteUploadCompletePayload {
  /** @example "9f0a3c0e-52b5-4f57-8d0e-0c7a5f0b8e21" */
  uploadId: string;
  /** The link of the dropsite. @example "4d2c9a0b-e6f8-4e4f-9a17-5b1c0e7d2f63" */
  link: string;
  /** @example 7 */
  dropsiteId: number;
  /** The successful uploads. @example [43] */
  mediaContainerIds: number[];
  /** The address of the sender; null if the sender is anonymous. @example "sender@example.org" */
  email: string | null;
}

/** An upload to a dropsite has started, as reported by its sender. */
export class DropsiteUploadStartedPayload {
  /** @example "9f0a3c0e-52b5-4f57-8d0e-0c7a5f0b8e21" */
  uploadId: string;
  /** The link of the dropsite. @example "4d2c9a0b-e6f8-4e4f-9a17-5b1c0e7d2f63" */
  link: string;
  /** @example 7 */
  dropsiteId: number;
  /** The user who owns the dropsite. @example 12 */
  ownerId: number;
  /** Estimated duration in seconds. @example 90 */
  duration: number | null;
  /** Total size in bytes. @example 11 */
  totalSize: number;
  /** Number of files. @example 1 */
  items: number;
}

/** A user requested the release of a media container. */
export class ReleaseRequestPayload {
  /** @example 41 */
  mediaContainerId: number;
  /** The user who requested it. @example 12 */
  requesterId: number;
  /** @example "May we print this?" */
  message: string | null;
}

/** A transcoding has ended. */
export class TranscoderJobCompletePayload {
  /** @example "0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11" */
  jobId: string;
  /** @example 41 */
  mediaContainerId: number;
  /** The rendition; the original if the job failed or was skipped. @example 58 */
  mediaId: number;
  /** @example 3 */
  formatId: number;
  /** @example "successful" */
  @ApiProperty({ enum: ['successful', 'failed'] })
  status: 'successful' | 'failed';
  /** True if the original does not need the rendition, so that none was made. @example true */
  @ApiProperty({ enum: [true], type: Boolean, required: false })
  skipped?: true;
}

/** A batch of a dropsite that is connected with public areas was completed. */
export class DropsiteToPublicAreaPayload {
  /** @example 7 */
  dropsiteId: number;
  /** @example [4, 9] */
  publicAreaIds: number[];
  /** The successful uploads. @example [43] */
  mediaContainerIds: number[];
}

/** An event as receivers of webhooks get it, unless the instruction defines its own payload. */
export class EventResponse {
  /** @example 1024 */
  id: number;
  /** The name of the event. */
  name: string;
  /** The organization in which it happened. @example 3 */
  customerId: number;
  /** What happened to the subject of the event. */
  method: string;
  /** What the event is about. */
  payload: object;
  /** ISO 8601. @example "2030-01-31T18:00:00.000Z" */
  createdAt: string;
}

/** The eight events of the service with the payload and the method of each (contract section 9). */
export const EVENTS = {
  'event:s3success': {
    payload: S3SuccessPayload,
    method: 'create',
    meaning: 'A file has arrived: its item was reported and found in the storage.',
  },
  'event:mediaProblem': {
    payload: MediaProblemPayload,
    method: 'create',
    meaning: 'A file that has arrived is empty, damaged, cut off, encrypted, or of another type than it says.',
  },
  'event:uploadComplete': {
    payload: UploadCompletePayload,
    method: 'update',
    meaning: 'A batch was completed by its client.',
  },
  'event:dropsiteUploadComplete': {
    payload: DropsiteUploadCompletePayload,
    method: 'update',
    meaning: 'A batch of a dropsite was completed.',
  },
  'event:releaseRequest': {
    payload: ReleaseRequestPayload,
    method: 'create',
    meaning: 'A user requested the release of a media container.',
  },
  'event:transcoderJobComplete': { payload: TranscoderJobCompletePayload, method: 'update', meaning: 'A transcoding has ended.' },
  'event:dropsiteToPublicArea': {
    payload: DropsiteToPublicAreaPayload,
    method: 'create',
    meaning: 'A batch of a dropsite with connected public areas was completed.',
  },
  'event:dropsiteUploadStarted': {
    payload: DropsiteUploadStartedPayload,
    method: 'create',
    meaning: 'An upload to a dropsite has started, as its sender reported.',
  },
} as const;
