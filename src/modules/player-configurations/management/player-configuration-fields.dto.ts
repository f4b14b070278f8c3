import { ArrayMaxSize, IsArray, IsBoolean, IsDefined, IsIn, IsInt, Max, Min } from 'class-validator';
import { BoundedDocument, NestedList, NestedObject, UnlessNull } from '../../../shared/validation/index.js';
import { MEDIA_TYPES, type MediaType } from '../../formats/index.js';
import { PlayerSettingsDto } from '../settings/player-settings.dto.js';
import { SecuritySettingsDto } from '../settings/security-settings.dto.js';
import { PlayerFormatDto } from './player-format.dto.js';

const MAX_INTEGER = 2_147_483_647; // what the columns hold

/** Older twin of `type`. */
export class DeprecatedConfigurationDto {
  /** video, image, audio, document; by default the `type`. @example ["video"] */
  @UnlessNull()
  @ArrayMaxSize(MEDIA_TYPES.length)
  @IsIn(MEDIA_TYPES, { each: true })
  @IsArray()
  mediaTypes?: MediaType[] | null;
}

/** What a player configuration may have beside its name. In an update an absent member stays, null clears it. */
export class PlayerConfigurationFieldsDto {
  /** What is delivered, in this order: all of it, every time. */
  @NestedList(() => PlayerFormatDto)
  @IsDefined()
  formats: PlayerFormatDto[];

  /** Pixels; with `height` a box of fixed size, else the player is responsive. @example 1280 */
  @UnlessNull()
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  width?: number | null;

  /** @example 720 */
  @UnlessNull()
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  height?: number | null;

  /**
   * Use `type`.
   * @deprecated
   */
  @UnlessNull()
  @BoundedDocument()
  @NestedObject(() => DeprecatedConfigurationDto)
  configuration?: DeprecatedConfigurationDto | null;

  /** What protects the links. */
  @UnlessNull()
  @BoundedDocument()
  @NestedObject(() => SecuritySettingsDto)
  securitySettings?: SecuritySettingsDto | null;

  /** How the links look. */
  @UnlessNull()
  @BoundedDocument()
  @NestedObject(() => PlayerSettingsDto)
  settings?: PlayerSettingsDto | null;

  /** Whether every new container of the type gets an embed link with it; default: false. @example false */
  @UnlessNull()
  @IsBoolean()
  autoGenerate?: boolean | null;
}
