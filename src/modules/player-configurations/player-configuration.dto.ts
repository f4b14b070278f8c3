import { isDeepStrictEqual } from 'node:util';
import { findUnknownMembers, IgnoredInputResponse } from '../../shared/validation/index.js';
import type { MediaType } from '../media/index.js';
import type { DeliveredConfiguration, DeliveredFormat } from './player-configuration.entity.js';
import type { FreshConfiguration } from './player-configuration-cache.service.js';
import { DeprecatedConfigurationDto, type PlayerConfigurationFieldsDto } from './player-configuration-inputs.dto.js';
import { PlayerSettingsDto } from './settings/player-settings.dto.js';
import { SecuritySettingsDto } from './settings/security-settings.dto.js';

/** A format that a configuration delivers. */
export class PlayerFormatResponse {
  /** @example 5 */
  formatId: number;
  /** @example false */
  downloadable: boolean;
  /** @example 3 */
  playerConfigurationId: number;
}

/** A player configuration. All of it may be sent back in an update. */
export class PlayerConfigurationResponse {
  /** @example 3 */
  id: number;
  /** @example "Website" */
  name: string;
  /** @example "video" */
  type: MediaType;
  /** 1: default player, 2: minimal, 0: plain. @example 1 */
  templateId: number;
  /** Pixels; null: responsive. @example null */
  width: number | null;
  /** Pixels; null: responsive. @example null */
  height: number | null;
  /** @example 12 */
  creatorId: number;
  /** @example 1 */
  customerId: number;
  /** The user who changed it last. @example 12 */
  lastEditorId: number;
  /** The member of the support staff who made the last change on behalf of that user; absent if the user made it. @example 1 */
  lastEditorSupportUserId?: number;
  /** The formats that are delivered, in this order. Lists include them only with `showFormats`. */
  formats?: PlayerFormatResponse[];
  /**
   * Use `type`.
   * @deprecated
   */
  configuration: DeprecatedConfigurationDto;
  /** When it was read from the database (unix seconds). @example 1735689600 */
  freshness: number;
  /** The number of embed links that use it; only with `showCountEmbeds`. @example 7 */
  countEmbeds?: number;
  /** Whether every new media container of the type gets an embed link. @example false */
  autoGenerate: boolean;
  /** Whether it delivers, after `formats`, all renditions of its type that are for viewers, and photos in other sizes. @example false */
  automaticFormats: boolean;
  /** Whether embed links that name no configuration are made with it; one of each type. @example false */
  isDefault: boolean;
  /** Who may see the links; null: everyone. */
  securitySettings: SecuritySettingsDto | null;
  /** The appearance of the links; null: the default. */
  settings: PlayerSettingsDto | null;
}

/** A new player configuration. */
export class CreatedPlayerConfigurationResponse extends PlayerConfigurationResponse {
  /** Members of the input that were ignored, and why; absent if all of it was used. */
  ignored?: IgnoredInputResponse[];
}

/** A player configuration after a change. */
export class UpdatedPlayerConfigurationResponse extends CreatedPlayerConfigurationResponse {
  /** The formats that this update removed; absent if it removed none. @example [4] */
  removedFormats?: number[];
}

/** A player configuration that was destroyed, as it was. */
export class DestroyedPlayerConfigurationResponse extends PlayerConfigurationResponse {
  /**
   * What else has changed; absent if nothing else has.
   * @example ["New media containers of the type video get no embed link: it was the last player configuration of this type with autoGenerate. Set autoGenerate of another one to change that."]
   */
  warnings?: string[];
}

/** Optional parts of a response. */
interface Additions {
  readonly countEmbeds?: number;
  readonly showFormats?: boolean;
}

export function toPlayerConfigurationResponse(
  { value, readAt }: FreshConfiguration,
  { countEmbeds, showFormats = true }: Additions = {},
): PlayerConfigurationResponse {
  return {
    id: value.id,
    name: value.name,
    type: value.type,
    templateId: value.templateId,
    width: value.width,
    height: value.height,
    creatorId: value.creatorId,
    customerId: value.customerId,
    lastEditorId: value.lastEditorId,
    ...(value.lastEditorSupportUserId !== null && { lastEditorSupportUserId: value.lastEditorSupportUserId }),
    ...(showFormats && { formats: value.formats.map((format) => toFormatResponse(value.id, format)) }),
    configuration: { mediaTypes: [...(value.configuration?.mediaTypes ?? [value.type])] },
    freshness: Math.floor(readAt.getTime() / 1_000),
    ...(countEmbeds !== undefined && { countEmbeds }),
    autoGenerate: value.autoGenerate,
    automaticFormats: value.automaticFormats,
    isDefault: value.isDefault,
    securitySettings: value.securitySettings as SecuritySettingsDto | null,
    settings: value.settings as PlayerSettingsDto | null,
  };
}

/** `endsAutoGenerate`: no configuration of its type generates embed links any more. */
export function toDestroyedResponse(
  destroyed: FreshConfiguration & { readonly endsAutoGenerate: boolean },
): DestroyedPlayerConfigurationResponse {
  const { type } = destroyed.value;
  const warning =
    `New media containers of the type ${type} get no embed link: it was the last player configuration of this type with autoGenerate. ` +
    'Set autoGenerate of another one to change that.';
  return { ...toPlayerConfigurationResponse(destroyed), ...(destroyed.endsAutoGenerate && { warnings: [warning] }) };
}

const toFormatResponse = (playerConfigurationId: number, { formatId, downloadable }: DeliveredFormat): PlayerFormatResponse => ({
  formatId,
  downloadable,
  playerConfigurationId,
});

/** Members of responses that clients may send back although they cannot be set. */
const READ_ONLY: readonly (keyof UpdatedPlayerConfigurationResponse)[] = [
  'id',
  'customerId',
  'creatorId',
  'lastEditorId',
  'lastEditorSupportUserId',
  'freshness',
  'countEmbeds',
  'isDefault',
  'removedFormats',
  'ignored',
];
const READ_ONLY_OF_FORMAT = /^formats\.\d+\.playerConfigurationId$/;

/**
 * Finds the members of an input that have no effect on a player configuration as it is now (contract section 12.1): unknown ones, and the deprecated
 * `configuration.mediaTypes` and a `settings.download` without `automaticFormats`, which are stored nevertheless.
 */
export function findIgnoredInput(
  sent: Readonly<Record<string, unknown>>,
  input: PlayerConfigurationFieldsDto,
  { type, automaticFormats }: Pick<DeliveredConfiguration, 'type' | 'automaticFormats'>,
): IgnoredInputResponse[] {
  const { mediaTypes } = input.configuration ?? {};
  const hasNoEffect = mediaTypes !== undefined && mediaTypes !== null && !isDeepStrictEqual(mediaTypes, [type]);
  return [
    ...findUnknownMembers(sent, input, READ_ONLY).filter(({ path }) => !READ_ONLY_OF_FORMAT.test(path)),
    ...(hasNoEffect ? [{ path: 'configuration.mediaTypes', reason: `it has no effect: the type says what is delivered (${type})` }] : []),
    ...(input.settings?.download && !automaticFormats
      ? [{ path: 'settings.download', reason: 'it has no effect without automaticFormats: formats says what may be downloaded' }]
      : []),
  ];
}
