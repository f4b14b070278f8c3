import type { Cached } from '../../../shared/cache/index.js';
import { IgnoredInputResponse } from '../../../shared/validation/index.js';
import type { MediaType } from '../../formats/index.js';
import type { DeliveredConfiguration } from '../delivered-configuration.js';
import { PlayerSettingsDto } from '../settings/player-settings.dto.js';
import { SecuritySettingsDto } from '../settings/security-settings.dto.js';
import { DeprecatedConfigurationDto } from './player-configuration-fields.dto.js';
import { PlayerFormatResponse } from './player-format.dto.js';

/** A player configuration. All of it may be sent back to change it. */
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
  /** Who changed it last. @example 12 */
  lastEditorId: number;
  /** The member of support staff who made the last change in that user's name; only then. @example 1 */
  lastEditorSupportUserId?: number;
  /** What is delivered, in this order. In lists only with `showFormats`. */
  formats?: PlayerFormatResponse[];
  /**
   * Use `type`.
   * @deprecated
   */
  configuration: DeprecatedConfigurationDto;
  /** When it was read from the database (unix seconds). @example 1735689600 */
  freshness: number;
  /** How many embed links use it; only with `showCountEmbeds`. @example 7 */
  countEmbeds?: number;
  /** Whether every new container of the type gets an embed link with it. @example false */
  autoGenerate: boolean;
  /** What protects the links; null: nothing. */
  securitySettings: SecuritySettingsDto | null;
  /** How the links look; null: by the defaults. */
  settings: PlayerSettingsDto | null;
}

/** A player configuration that was just made. */
export class CreatedPlayerConfigurationResponse extends PlayerConfigurationResponse {
  /** What of the input was not taken, and why; only if there is something. */
  ignored?: IgnoredInputResponse[];
}

/** A player configuration after a change. */
export class UpdatedPlayerConfigurationResponse extends CreatedPlayerConfigurationResponse {
  /** The formats that this change removed; only if it did. @example [4] */
  removedFormats?: number[];
}

/** What an answer carries besides. */
export interface Additions {
  readonly countEmbeds?: number;
  readonly showFormats?: boolean;
}

export function toPlayerConfigurationResponse(
  { value, readAt }: Pick<Cached<DeliveredConfiguration>, 'value' | 'readAt'>,
  { countEmbeds, showFormats = true }: Additions = {},
): PlayerConfigurationResponse {
  const { version: _version, createdAt: _createdAt, updatedAt: _updatedAt, formats, configuration, ...rest } = value;
  const { lastEditorSupportUserId, ...shown } = rest;
  return {
    ...shown,
    ...(lastEditorSupportUserId !== null && { lastEditorSupportUserId }),
    ...(showFormats && { formats: formats.map((format) => ({ ...format, playerConfigurationId: value.id })) }),
    configuration: { mediaTypes: [...(configuration?.mediaTypes ?? [value.type])] },
    securitySettings: shown.securitySettings as SecuritySettingsDto | null,
    settings: shown.settings as PlayerSettingsDto | null,
    freshness: Math.floor(readAt.getTime() / 1_000),
    ...(countEmbeds !== undefined && { countEmbeds }),
  };
}
