import type { Cached } from '../../shared/cache/index.js';
import type { Format } from './format.entity.js';
import { commandOf } from './format-command.js';
import { programsOfFormat } from './format-programs.js';
import type { VisibleFormats } from './format-reader.js';
import type { FormatConfiguration, FormatSettings, Parameters, ParameterValue } from './format-settings.js';
import type { FoundFormats } from './formats.service.js';
import type { BuiltMetadata } from './metadata/build-metadata-tags.js';

/** A format as everybody of its customer sees it. */
export class FormatResponse {
  /** @example 3 */
  id: number;
  /** @example "720p with our logo" */
  name: string;
  /** What it is based on; null: a blueprint. @example 5 */
  blueprintId: number | null;
  /** A managed format that others are based on. @example false */
  isBlueprint: boolean;
  /** ffmpeg, ffprobe, imagemagick, officeDocument, cli, original or copy. @example "ffmpeg" */
  converter: string;
  /** transcoding or preview. @example "transcoding" */
  usage: string;
  /** 1: destroyed, but media items of it still exist. @example 0 */
  flag: number;
  /** The first of settings.mediaTypes. @deprecated @example "video" */
  type: string | null;
  /** The final command: the blueprint's parameters and over them those of the format that the blueprint allows. @deprecated */
  command: Parameters;
  /** As it was sent; use settings. @deprecated */
  configuration: FormatConfiguration | null;
  /** What counts: what the format leaves open is filled from `configuration` and the blueprint. */
  settings: FormatSettings;
  /** Whether it can be made: some worker has its programs. While no worker runs nobody knows, and it counts as available. @example true */
  available: boolean;
  /** Why it is not available, and what the operator can do; only then. @example "No worker has ffmpeg; …" */
  unavailableReason?: string;
  /** Null: the service. @example 2 */
  creatorId: number | null;
  /** Null: the service. @example 2 */
  lastEditorId: number | null;
  /** ISO 8601. */
  createdAt: Date;
  /** ISO 8601. */
  updatedAt: Date;
  /** Whether it was remembered, instead of read for this answer. @example true */
  fromCache: boolean;
}

/** What became of one parameter. */
export class ExplainedParameterResponse {
  /** @example "crf" */
  command: string;
  /** @example 21 */
  value: ParameterValue;
  /** blueprint or custom. @example "custom" */
  source: string;
  /** Whether it is in the final command. @example true */
  used: boolean;
  /** @example "allowed by the blueprint" */
  reason: string;
}

/** Where each parameter of a format came from, or why it is ignored. */
export class ExplainedFormatResponse {
  /** @example 3 */
  formatId: number;
  /** @example 5 */
  blueprintId: number | null;
  /** The final command. */
  command: Parameters;
  /** What has to be installed where it is made; `cli:` and a name: a tool of the operator. @example ["ffmpeg", "ffprobe"] */
  programs: string[];
  parameters: ExplainedParameterResponse[];
}

/** A format that is destroyed, and what becomes of its media. */
export class DestroyedFormatResponse {
  /** @example 3 */
  id: number;
  /** @example 1 */
  flag: number;
  /** Media items that are destroyed with it. @example 0 */
  items: number;
  /** Its result: GET /v5/activity/jobResult/:jobId. @example "0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11" */
  jobId: string;
}

/** A field of a file and what is written into it. */
export class MetadataTagResponse {
  /** @example "IPTC:Keywords" */
  tag: string;
  /** @example ["news"] */
  values: string[];
  /** The definition that it comes from; null: every image carries it. @example "tags" */
  metaTitle: string | null;
}

/** A definition of which nothing is written. */
export class SkippedMetadataResponse {
  /** @example "headline" */
  metaTitle: string;
  /** @example "the item has no headline" */
  reason: string;
}

/** What would be written into a file of the format. */
export class MetadataPreviewResponse {
  tags: MetadataTagResponse[];
  skipped: SkippedMetadataResponse[];
}

/** A format among those that its customer sees; `reasons` by format say why some cannot be made. */
export function toFormatResponse(
  format: Format,
  { visible: { value, fromCache }, reasons }: Pick<FoundFormats, 'visible' | 'reasons'>,
): FormatResponse {
  const { id, name, blueprintId, customerId, converter, usage, flag, configuration, settings } = format;
  const { creatorId, lastEditorId, createdAt, updatedAt } = format;
  const unavailableReason = reasons.get(id);
  return {
    ...{ id, name, blueprintId, isBlueprint: customerId === null, converter, usage, flag },
    type: settings.mediaTypes?.[0] ?? null,
    command: commandOf(format, value.byId.get(blueprintId ?? 0) ?? null).command,
    ...{ available: unavailableReason === undefined, ...(unavailableReason !== undefined && { unavailableReason }) },
    ...{ configuration, settings, creatorId, lastEditorId, createdAt, updatedAt, fromCache },
  };
}

export function toExplainedFormatResponse(format: Format, { value }: Cached<VisibleFormats>): ExplainedFormatResponse {
  const { id: formatId, blueprintId } = format;
  const { command, parameters } = commandOf(format, value.byId.get(blueprintId ?? 0) ?? null);
  return { formatId, blueprintId, command, programs: [...programsOfFormat(format, value)], parameters: [...parameters] };
}

export const toMetadataPreviewResponse = ({ tags, skipped }: BuiltMetadata): MetadataPreviewResponse => ({
  tags: tags.map((tag) => ({ ...tag, values: [...tag.values] })),
  skipped: [...skipped],
});
