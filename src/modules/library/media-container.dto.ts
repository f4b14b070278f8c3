import { ApiProperty } from '@nestjs/swagger';
import type { License, MediaContainer, MediaItem, StreamingFacts } from '../media/index.js';
import {
  type FileDescription,
  type FileProblem,
  type MediaStreams,
  PROBLEM_CODES,
  type ProblemCode,
  problemOf,
  RENDITIONS_PREFIX,
} from '../media/index.js';
import type { PreviewFinder } from './container-previews.port.js';
import { LicenseDto, MetadataEntryDto } from './media-container-input.dto.js';
import type { ContainerWithMedia } from './media-containers.service.js';
import type { SenderFinder } from './senders.service.js';

/** The properties of a streaming rendition in a playlist. */
export class StreamingResponse {
  /** Codecs (RFC 6381), separated by commas. @example "avc1.64001f,mp4a.40.2" */
  codecs: string;
  /** Bits per second of the largest segment. @example 2800000 */
  bandwidth: number;
  /** Bits per second of the whole file. @example 2100000 */
  averageBandwidth: number;
  /** Frames per second; null: it has no picture. @example 25 */
  frameRate: number | null;
  /** Number of segments. @example 16 */
  segments: number;
}

/** Why a file cannot be used, or not wholly. */
export class FileProblemResponse {
  /**
   * empty: it has no bytes; source_unreadable: it is damaged, or of a type that is not supported; cut_off: its end is missing; encrypted: it needs a
   * password; wrong_type: it is not what its type or name says; infected: a virus was found; too_large: too large to be scanned for viruses.
   * @example "cut_off"
   */
  @ApiProperty({ enum: PROBLEM_CODES })
  code: ProblemCode;
  /** A sentence that says what to do. @example "The end of the picture is missing. Upload it again." */
  message: string;
}

/** A file of a media container: the original, a rendition, or a track. */
export class MediaItemResponse {
  /** @example 12 */
  id: number;
  /** @example 7 */
  mediaContainerId: number;
  /** The format that it was made with; null for an original without a format. @example null */
  formatId: number | null;
  /** @example "video" */
  type: MediaItem['type'];
  /** Name of the file without extension. @example "interview" */
  fileName: string;
  /** Lower case, without dot. @example "mp4" */
  fileExtension: string;
  /** Bytes: as announced; after the upload has succeeded, as stored. @example 10485760 */
  fileSize: number;
  /** @example "successful" */
  status: MediaItem['status'];
  /** Pixels; null until known. @example 1920 */
  width: number | null;
  /** Pixels; null until known. @example 1080 */
  height: number | null;
  /** Seconds; null until known. @example 63.5 */
  duration: number | null;
  /** Codec of the picture, or of the sound if there is no picture; null until known. @example "h264" */
  codec: string | null;
  /** @example "media" */
  bucket: string;
  /** @example "uploads/1/7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52/0.mp4" */
  s3Key: string;
  /** Made in a format's test mode. @example false */
  test: boolean;
  /** The role of a track: subtitles, captions, descriptions, chapters or poster; null: an original or a rendition. @example null */
  role: MediaItem['role'];
  /** Language of a text track, or of one of several sounds (BCP 47); null for other files, or unknown. @example null */
  language: string | null;
  /** The name of a track or of one of several sounds for viewers; null for other files. @example null */
  label: string | null;
  /** Whether players choose this track before others of its role, or this sound before others. @example false */
  default: boolean;
  /** Null: not a streaming rendition. */
  @ApiProperty({ type: StreamingResponse, nullable: true })
  streaming: StreamingFacts | null;
  /** What is wrong with the file, within a minute of its success; null: nothing was found. */
  @ApiProperty({ type: FileProblemResponse, nullable: true })
  problem: FileProblem | null;
  /** ISO 8601. */
  createdAt: Date;
}

/** When a stream plays, in seconds after the beginning of its file. */
export class StreamTimesResponse {
  /** Index among all streams of the file. @example 0 */
  index: number;
  /** @example 0 */
  start: number;
  /** @example 60.04 */
  end: number;
}

/** The ICC profile of a picture. Renditions have the colours of sRGB. */
export class ColorProfileResponse {
  /** The name that its author gave it; null: not stated. @example "Display P3" */
  name: string | null;
  /** The colour space of its values. @example "RGB" */
  colorSpace: string;
}

/** What the inspection of an original found out; members that do not concern its type are null. Streams and chapters are as ffprobe names them. */
export class TechnicalMetadataResponse {
  /** The type by the content, as an extension; null: a film or sound, or unknown. @example null */
  content: string | null;
  /** Why the file could not be read; null: it was read as far as the programs of the machine can. @example null */
  problem: string | null;
  /** The colour profile of a picture; null: it has none, or was not read. */
  @ApiProperty({ type: ColorProfileResponse, nullable: true })
  colorProfile: ColorProfileResponse | null;
  /** Pages of a PDF, or of an office document as it was converted for the first time; null: not counted yet. @example null */
  pages: number | null;
  /** Pictures per second of a film, on average. @example 25 */
  frameRate: number | null;
  /** Whether the pictures of a film are shown for different times. @example false */
  variableFrameRate: boolean | null;
  /** The container of a film or sound file: `format_name`, `start_time`, `duration`, `bit_rate`, `tags`. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  format: object | null;
  /**
   * The streams of a film or sound file: `codec_type`, `codec_name`, `tags` (`language`, `title`), `disposition`, `field_order`, `sample_aspect_ratio`,
   * `color_primaries`, `color_transfer`, `color_space`, `color_range`, `side_data_list` (`rotation`, HDR) and more; at most 64.
   */
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, nullable: true })
  streams: readonly object[] | null;
  /** The chapters of a film: `start_time`, `end_time` in seconds, `tags` (`title`); at most 1,000. */
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, nullable: true })
  chapters: readonly object[] | null;
  /** When the picture and the sounds of a film play, in seconds after its beginning; null: not measured. */
  @ApiProperty({ type: StreamTimesResponse, isArray: true, nullable: true })
  times: StreamTimesResponse[] | null;
}

/** A picture of a media container, for lists. */
export class PreviewResponse {
  /**
   * Redirects to the picture without credentials, as AVIF, WebP, JPEG, PNG or GIF by `Accept`. Two responses within a few minutes have the same URL,
   * so that browsers cache the picture. @example "https://media.example.org/v5/preview/12.1893456000.bWFj…"
   */
  url: string;
  /** Pixels; the longer side has at least 480 if the picture has. @example 480 */
  width: number;
  /** Pixels. @example 270 */
  height: number;
  /** When the URL ends, in at least 30 minutes (ISO 8601). */
  expiresAt: Date;
}

/** Who uploaded a media container to a dropsite. */
export class SenderResponse {
  /** Empty: not given. @example "Ada" */
  firstname: string;
  /** Empty: not given. @example "Lovelace" */
  lastname: string;
  /** As the sender gave it; not verified. @example "ada@example.org" */
  email: string;
  /** When the upload began (ISO 8601). */
  at: Date;
}

/** A media container with all its files. */
export class MediaContainerResponse {
  /** @example 7 */
  id: number;
  /** @example 1 */
  customerId: number;
  /** @example 2 */
  creatorId: number;
  /** @example "video" */
  type: MediaContainer['type'];
  /** 0: active, 1: in the trash, 33: a watermark asset. @example 0 */
  flag: MediaContainer['flag'];
  /** @example "interview" */
  name: string;
  /** @example "" */
  description: string;
  /** @example ["news"] */
  tags: string[];
  /** Terms under which it may be used; null when none are recorded. */
  @ApiProperty({ type: LicenseDto, nullable: true })
  license: License | null;
  /** The id of the dropsite that it was uploaded to, or null. @example null */
  origin: number | null;
  /** Who uploaded it to the dropsite; null: unknown, erased, or not shown to tokens without the scope `api`. */
  @ApiProperty({ type: SenderResponse, nullable: true })
  sender: SenderResponse | null;
  /** The checksum that the sender stated. @example null */
  checksum: string | null;
  /** Descriptive metadata: title, content and language. */
  metadata: MetadataEntryDto[];
  /** Null until the original was inspected, a few seconds after its success. */
  @ApiProperty({ type: TechnicalMetadataResponse, nullable: true })
  technicalMetadata: TechnicalMetadataResponse | null;
  /** When delivery starts (ISO 8601). */
  start: Date | null;
  /** When delivery ends (ISO 8601). */
  end: Date | null;
  /** ISO 8601. */
  createdAt: Date;
  /** ISO 8601. */
  updatedAt: Date;
  /** The poster, a preview file or the picture itself; null: there is no picture, or its size is not known yet. */
  @ApiProperty({ type: PreviewResponse, nullable: true })
  preview: PreviewResponse | null;
  /** What is wrong with the original, within a minute of its success; null: nothing was found. */
  @ApiProperty({ type: FileProblemResponse, nullable: true })
  problem: FileProblem | null;
  /**
   * The oldest other media container that is not in the trash and whose original has the same size and checksum (CRC-32); null: there is none, or the
   * checksum is not known yet. @example null
   */
  duplicateOf: number | null;
  media: MediaItemResponse[];
}

/** The payload of the published event. */
export class ReleaseRequestResponse {
  /** @example 7 */
  mediaContainerId: number;
  /** @example 2 */
  requesterId: number;
  /** @example "May we print it?" */
  message: string | null;
}

/** What the response of a container contains besides its row and its files; prepared for all containers of a page. */
interface Finders {
  readonly findPreview: PreviewFinder;
  readonly findSender: SenderFinder;
}

/** Converts a container and its files to the response of the API. */
export function toMediaContainerResponse(found: ContainerWithMedia, { findPreview, findSender }: Finders): MediaContainerResponse {
  const { container, media, duplicateOf } = found;
  const original = media.find(({ role }) => role === null);
  const preview = findPreview(found);
  const sender = findSender(container);
  return {
    id: container.id,
    customerId: container.customerId,
    creatorId: container.creatorId,
    type: container.type,
    flag: container.flag,
    name: container.name,
    description: container.description,
    tags: container.tags,
    license: container.license,
    origin: container.origin,
    sender: sender && { firstname: sender.firstname, lastname: sender.lastname, email: sender.email, at: container.createdAt },
    checksum: container.checksum,
    metadata: container.metadata,
    technicalMetadata: technicalMetadataOf(container, media),
    start: container.start,
    end: container.end,
    createdAt: container.createdAt,
    updatedAt: container.updatedAt,
    preview: preview && { url: preview.url, width: preview.width, height: preview.height, expiresAt: preview.expiresAt },
    problem: original ? problemOf(original) : null,
    duplicateOf,
    media: media.map(toMediaItemResponse),
  };
}

/** Describes the original. Where the machine that inspected it had no ffprobe, the output of a format with the converter ffprobe is shown. */
function technicalMetadataOf({ technicalMetadata }: MediaContainer, media: readonly MediaItem[]): TechnicalMetadataResponse | null {
  const described = media.findLast(
    ({ role, s3Key, fileDescription }) => role === null && fileDescription && !s3Key.startsWith(RENDITIONS_PREFIX),
  );
  if (!described?.fileDescription && technicalMetadata === null) return null;
  const description: Partial<FileDescription> = described?.fileDescription ?? {};
  const { content = null, problem = null, colorProfile = null, pages = null, pictureRate, times } = description;
  const { format = null, streams = null, chapters = null } = description.media ?? (technicalMetadata as Partial<MediaStreams> | null) ?? {};
  return {
    ...{ content, problem, pages, frameRate: pictureRate?.average ?? null, variableFrameRate: pictureRate?.isVariable ?? null },
    colorProfile: colorProfile && { name: colorProfile.name, colorSpace: colorProfile.colorSpace },
    ...{ format, streams, chapters },
    times: times?.map(({ index, start, end }) => ({ index, start, end })) ?? null,
  };
}

/** Converts a media item to the response of the API. */
export function toMediaItemResponse(item: MediaItem): MediaItemResponse {
  return {
    id: item.id,
    mediaContainerId: item.mediaContainerId,
    formatId: item.formatId,
    type: item.type,
    fileName: item.fileName,
    fileExtension: item.fileExtension,
    fileSize: item.fileSize,
    status: item.status,
    width: item.width,
    height: item.height,
    duration: item.duration,
    codec: item.codec,
    bucket: item.bucket,
    s3Key: item.s3Key,
    test: item.test,
    role: item.role,
    language: item.language,
    label: item.label,
    default: item.isDefault,
    streaming: item.streaming && toStreamingResponse(item.streaming),
    problem: problemOf(item),
    createdAt: item.createdAt,
  };
}

const toStreamingResponse = ({ codecs, bandwidth, averageBandwidth, frameRate, segments }: StreamingFacts): StreamingResponse => ({
  codecs,
  bandwidth,
  averageBandwidth,
  frameRate,
  segments,
});
