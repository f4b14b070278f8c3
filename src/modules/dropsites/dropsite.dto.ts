import { IntersectionType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import type { Config } from '../../shared/config/index.js';
import { CastInteger, RefusesUnknownParameters } from '../../shared/http/index.js';
import { DeletedOf, IdOf, LinkPageDto } from '../../shared/resources/index.js';
import {
  IsDisplayName,
  IsId,
  IsMoment,
  MAX_DISPLAY_NAME_CHARACTERS,
  MAX_ID,
  UnlessAbsent,
  UnlessNull,
} from '../../shared/validation/index.js';
import { MEDIA_TYPES, type MediaType } from '../media/index.js';
import type { Dropsite } from './dropsite.entity.js';

/** The settings of a dropsite. An absent member leaves the setting as it is; null clears it. */
export class DropsiteFieldsDto {
  /** A user of the customer; by default the caller. @example 12 */
  @UnlessAbsent()
  @IsId()
  ownerId?: number;

  /** @example "Please send us your photos." */
  @UnlessNull()
  @MaxLength(10_000)
  @IsString()
  description?: string | null;

  /** ISO 8601 with its offset, or a date (its first moment in UTC). @example "2030-01-31T18:00:00Z" */
  @UnlessNull()
  @IsMoment()
  expiresAt?: string | null;

  /** Never returned. @example "open sesame" */
  @UnlessNull()
  @MaxLength(1_024)
  @MinLength(1)
  @IsString()
  password?: string | null;

  /** Items accepted per day (UTC); refused items do not count. @example 100 */
  @UnlessNull()
  @IsId()
  maxItemsPerDay?: number | null;

  /** Bytes accepted per day (UTC): as announced or, if more arrived, as stored. @example 10737418240 */
  @UnlessNull()
  @Max(Number.MAX_SAFE_INTEGER)
  @Min(1)
  @IsInt()
  maxBytesPerDay?: number | null;

  /** video, audio, image, document; empty: all. @example ["image"] */
  @UnlessNull()
  @ArrayMaxSize(MEDIA_TYPES.length)
  @ArrayUnique()
  @IsIn(MEDIA_TYPES, { each: true })
  @IsArray()
  allowedTypes?: MediaType[] | null;

  /** Whether senders need no session. @example true */
  @UnlessNull()
  @IsBoolean()
  allowAnonymous?: boolean | null;

  /** Numbers that event:dropsiteToPublicArea contains; you choose them. @example [] */
  @UnlessNull()
  @ArrayMaxSize(1_000)
  @ArrayUnique()
  @Max(MAX_ID, { each: true })
  @Min(1, { each: true })
  @IsInt({ each: true })
  @IsArray()
  publicAreaIds?: number[] | null;
}

/** A new dropsite. */
export class CreateDropsiteDto extends DropsiteFieldsDto {
  /** @example "Photos of the anniversary" */
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @IsDisplayName()
  @IsString()
  name: string;
}

/** The id of a dropsite. The id of another customer's dropsite counts as unknown. */
export class DropsiteIdDto extends IdOf({ example: 1 }) {}

/** A page of dropsites. */
@RefusesUnknownParameters()
export class FindDropsitesDto extends LinkPageDto {
  /** Only this dropsite, unless it was deleted; with a state only in this one. The list is empty if it is unknown. @example 3 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number | null;
}

/** Changes of a dropsite; an absent member leaves the setting as it is. */
export class DropsiteChangesDto extends DropsiteFieldsDto {
  /** @example "Photos of the anniversary" */
  @UnlessAbsent()
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @IsDisplayName()
  @IsString()
  name?: string;
}

/** Changes of the dropsite with this id. */
export class UpdateDropsiteDto extends IntersectionType(DropsiteIdDto, DropsiteChangesDto) {}

/** A dropsite, for users of its customer. */
export class DropsiteResponse {
  /** @example 3 */
  id: number;
  /** Permanent. The page for people is `/d/{link}`. @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  link: string;
  /** The page. @example "https://media.example.com/d/b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  url: string;
  /** Permanent. @example "dropsite-0f8c2a7e-5d55-4f0e-8a0c-7a2b6d1f9e10" */
  clientId: string;
  /** The creator of the uploaded media containers, who is notified of uploads. @example 12 */
  ownerId: number;
  /** @example 1 */
  customerId: number;
  /** @example "Photos of the anniversary" */
  name: string;
  /** @example "Please send us your photos." */
  description: string;
  /** ISO 8601; null: it never expires. */
  expiresAt: Date | null;
  /** When it was deleted (ISO 8601); null: it was not. */
  endedAt: Date | null;
  /** The user who deleted it. @example null */
  endedBy: number | null;
  /** Whether senders need a password; the password itself is never returned. @example false */
  requiresPassword: boolean;
  /** Null: no limit. @example 100 */
  maxItemsPerDay: number | null;
  /** Null: no limit. @example 10737418240 */
  maxBytesPerDay: number | null;
  /** Empty: all. @example ["image"] */
  allowedTypes: string[];
  /** @example true */
  allowAnonymous: boolean;
  /** @example [] */
  publicAreaIds: number[];
  /** Completed batches. @example 7 */
  countUploads: number;
  /** The hour (ISO 8601) in which the page was last opened or something was sent; null: not used yet. */
  lastUsedAt: Date | null;
  /** ISO 8601. */
  createdAt: Date;
  /** ISO 8601. */
  updatedAt: Date;
}

export function toDropsiteResponse(dropsite: Dropsite, { publicUrl }: Pick<Config, 'publicUrl'>): DropsiteResponse {
  return {
    id: dropsite.id,
    link: dropsite.link,
    url: `${publicUrl}/d/${dropsite.link}`,
    clientId: dropsite.clientId,
    ownerId: dropsite.ownerId,
    customerId: dropsite.customerId,
    name: dropsite.name,
    description: dropsite.description,
    expiresAt: dropsite.expiresAt,
    endedAt: dropsite.endedAt,
    endedBy: dropsite.endedBy,
    requiresPassword: dropsite.passwordHash !== null,
    maxItemsPerDay: dropsite.maxItemsPerDay,
    maxBytesPerDay: dropsite.maxBytesPerDay,
    allowedTypes: dropsite.allowedTypes,
    allowAnonymous: dropsite.allowAnonymous,
    publicAreaIds: dropsite.publicAreaIds,
    countUploads: dropsite.countUploads,
    lastUsedAt: dropsite.lastUsedAt,
    createdAt: dropsite.createdAt,
    updatedAt: dropsite.updatedAt,
  };
}

/** The deleted dropsite. */
export class DeletedDropsiteResponse extends DeletedOf({ example: 3 }) {}
