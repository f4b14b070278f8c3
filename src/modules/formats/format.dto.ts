import { isDeepStrictEqual } from 'node:util';
import { ApiProperty } from '@nestjs/swagger';
import { findUnknownMembers, IgnoredInputResponse } from '../../shared/validation/index.js';
import type { MediaType } from '../media/index.js';
import { CONVERTERS, type Converter } from './converters/converters.js';
import type { ExplainedParameter } from './converters/merge-parameters.js';
import type { Format } from './format.entity.js';
import { commandOf } from './format-command.js';
import type { FormatFieldsDto } from './format-inputs.dto.js';
import { type FormatConfiguration, FormatConfigurationDto, type FormatSettings, FormatSettingsDto } from './format-settings.dto.js';
import type { FormatUsage, Parameters } from './format-settings.js';
import type { FoundFormat, FoundFormats } from './formats.service.js';
import type { BuiltMetadata } from './metadata/build-metadata-tags.js';

/** A parameter that formats based on a blueprint may set. */
export class AllowedParameterResponse {
  /** @example "crf" */
  command: string;
  /** A regular expression that the whole value must match. @example "(1[89]|2[0-8])" */
  regex: string;
  /** @example ["video"] */
  mediaTypes: MediaType[];
}

export class FormatSettingsResponse extends FormatSettingsDto {
  /** Only for blueprints: the parameters that formats based on it may set. */
  allowedParameters?: AllowedParameterResponse[];
}

/** A format as all users of its customer see it. */
export class FormatResponse {
  /** @example 3 */
  id: number;
  /** @example "720p with our logo" */
  name: string;
  /** The blueprint that it is based on; null: it is a blueprint. @example 5 */
  blueprintId: number | null;
  /** Whether it is a managed format on which others are based. @example false */
  isBlueprint: boolean;
  /** @example "ffmpeg" */
  @ApiProperty({ enum: CONVERTERS })
  converter: Converter;
  /** @example "transcoding" */
  usage: FormatUsage;
  /** 1: destroyed, but its media items still exist. @example 0 */
  flag: Format['flag'];
  /** The first of settings.mediaTypes. @deprecated @example "video" */
  type: MediaType | null;
  /** The final command: the blueprint's parameters, overridden by the format's parameters that the blueprint allows. @deprecated */
  command: Parameters;
  /** Returned as it was sent; use settings. @deprecated */
  @ApiProperty({ type: FormatConfigurationDto, nullable: true })
  configuration: FormatConfiguration | null;
  /** The effective settings: the format's own, completed by `configuration` and the blueprint. */
  @ApiProperty({ type: FormatSettingsResponse })
  settings: FormatSettings;
  /** Whether a worker has the programs to make it. While no worker is running, it counts as available. @example true */
  available: boolean;
  /** Only if it is not available: the reason, and what the operator can do. @example "No worker has ffmpeg; …" */
  unavailableReason?: string;
  /** Null: the service. @example 2 */
  creatorId: number | null;
  /** Null: the service. @example 2 */
  lastEditorId: number | null;
  /** Only if a member of support staff made the last change on behalf of that user: the id of that member. @example 1 */
  lastEditorSupportUserId?: number;
  /** ISO 8601. */
  createdAt: Date;
  /** ISO 8601. */
  updatedAt: Date;
  /** Whether it comes from the cache instead of the database. @example true */
  fromCache: boolean;
}

/** A format that was created or changed. */
export class ChangedFormatResponse extends FormatResponse {
  /** Only if parts of the input were ignored: these parts and the reasons. */
  ignored?: IgnoredInputResponse[];
}

/** A format that is being destroyed, and its media. */
export class DestroyedFormatResponse {
  /** @example 3 */
  id: number;
  /** @example 1 */
  flag: number;
  /** Media items that are destroyed with it. @example 0 */
  items: number;
  /** The id of the job; its result: GET /v5/activity/jobResult/:jobId. @example "0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11" */
  jobId: string;
}

/** A field of a file, and its values. */
export class MetadataTagResponse {
  /** @example "IPTC:Keywords" */
  tag: string;
  /** @example ["news"] */
  values: string[];
  /** The definition that it comes from; null: it is written into every image. @example "tags" */
  metaTitle: string | null;
}

/** A definition that writes nothing. */
export class SkippedMetadataResponse {
  /** @example "headline" */
  metaTitle: string;
  /** @example "the item has no headline" */
  reason: string;
}

/** The metadata that would be written into a file of the format. */
export class MetadataPreviewResponse {
  tags: MetadataTagResponse[];
  skipped: SkippedMetadataResponse[];
}

/** Converts a format to the response of the API. `reasons` states by id why formats cannot be made. */
export function toFormatResponse(
  format: Format,
  { visible, fromCache, reasons }: Pick<FoundFormats, 'visible' | 'fromCache' | 'reasons'>,
): FormatResponse {
  const { id, name, blueprintId, customerId, converter, usage, flag, configuration, settings } = format;
  const { creatorId, lastEditorId, lastEditorSupportUserId, createdAt, updatedAt } = format;
  const unavailableReason = reasons.get(id);
  return {
    ...{ id, name, blueprintId, isBlueprint: customerId === null, converter, usage, flag },
    type: settings.mediaTypes?.[0] ?? null,
    command: commandOf(format, visible.byId.get(blueprintId ?? 0) ?? null).command,
    ...{ available: unavailableReason === undefined, ...(unavailableReason !== undefined && { unavailableReason }) },
    ...{ configuration, settings, creatorId, lastEditorId, createdAt, updatedAt, fromCache },
    ...(lastEditorSupportUserId !== null && { lastEditorSupportUserId }),
  };
}

export const toMetadataPreviewResponse = ({ tags, skipped }: BuiltMetadata): MetadataPreviewResponse => ({
  tags: tags.map(({ tag, values, metaTitle }) => ({ tag, values: [...values], metaTitle })),
  skipped: skipped.map(({ metaTitle, reason }) => ({ metaTitle, reason })),
});

/** Members of responses that clients may send back although they cannot be set. */
const RESPONSE_ONLY: readonly (keyof ChangedFormatResponse)[] = [
  ...(['id', 'isBlueprint', 'flag', 'available', 'unavailableReason', 'creatorId'] as const),
  ...(['lastEditorId', 'lastEditorSupportUserId', 'createdAt', 'updatedAt', 'fromCache', 'ignored'] as const),
];

/**
 * Finds the parts of an input that have no effect (contract section 12.1), such as unknown members, and parameters that are not in the final
 * command. `sent` is the body as received, `input` the validated one.
 */
export function findIgnoredInput(
  sent: Readonly<Record<string, unknown>>,
  input: FormatFieldsDto,
  { format, visible }: Pick<FoundFormat, 'format' | 'visible'>,
): IgnoredInputResponse[] {
  const { command, parameters } = commandOf(format, visible.byId.get(format.blueprintId ?? 0) ?? null);
  return [
    ...findUnknownMembers(sent, input, RESPONSE_ONLY).flatMap((one) => explainCommand(one, sent.command, command)),
    ...findIgnoredType(input, format.settings.mediaTypes ?? []),
    ...parameters.filter(({ source, used }) => source === 'custom' && !used).flatMap((parameter) => locate(parameter, input)),
  ];
}

/** Reports only those members of the deprecated `command` that differ from the final command, so that clients can send it back. */
function explainCommand({ path, reason }: IgnoredInputResponse, sent: unknown, command: Parameters): IgnoredInputResponse[] {
  const [, name] = /^command\.(.*)$/s.exec(path) ?? [];
  if (name === undefined) return [{ path, reason }];
  if (isDeepStrictEqual((sent as Parameters)[name], command[name])) return [];
  return [{ path, reason: 'the command is derived from the parameters; set settings.parameters' }];
}

function findIgnoredType({ type }: FormatFieldsDto, mediaTypes: readonly string[]): IgnoredInputResponse[] {
  if (type === undefined || type === null || type === mediaTypes[0]) return [];
  return [{ path: 'type', reason: `the media types determine its originals: ${mediaTypes.join(', ')}` }];
}

/** Finds the path of a parameter in this input; none if it was already stored. */
function locate({ command, raw, reason }: ExplainedParameter, input: FormatFieldsDto): IgnoredInputResponse[] {
  if (raw === undefined) {
    const isSent = Object.hasOwn(input.settings?.parameters ?? {}, command);
    return isSent ? [{ path: `settings.parameters.${command}`, reason }] : [];
  }
  const place = (['settings', 'configuration', 'command'] as const).find((name) => Object.hasOwn(input[name]?.[raw] ?? {}, command));
  return place === undefined ? [] : [{ path: `${place}.${raw}.${command}`, reason }];
}
