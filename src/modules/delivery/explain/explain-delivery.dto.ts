import { IntersectionType } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { CastBoolean, CastInteger } from '../../../shared/http/index.js';
import type { DeliveryRule } from '../decision/decide-delivery.js';
import type { RuleOutcome } from '../decision/explain-delivery.js';
import { IsAddress } from './is-address.js';

/** What the columns hold. */
const MAX_ID = 2_147_483_647;

export class ExplainedConfigurationDto {
  /** The player configuration. @example 12 */
  @CastInteger()
  @Max(MAX_ID)
  @Min(1)
  @IsInt()
  id: number;
}

/** A viewer, and what it wants. What is absent it does not have. */
export class DescribedViewerDto {
  /** Its address. @example "203.0.113.7" */
  @IsAddress()
  ip: string;

  /** Its Referer header, else Origin. @example "https://www.example.com/news" */
  @IsOptional()
  @MaxLength(8_192)
  @IsString()
  referer?: string;

  /** The Host header of its request; absent: the host of the service. @example "video.example.com" */
  @IsOptional()
  @MaxLength(255)
  @IsString()
  host?: string;

  /** Whether a user of the customer is signed in. @example false */
  @IsOptional()
  @CastBoolean()
  @IsBoolean()
  userLoggedIn?: boolean;

  /** The client that its access token was issued to. @example "newsroom" */
  @IsOptional()
  @MaxLength(255)
  @IsString()
  oauthClientId?: string;

  /** The access key by which its token of POST /v5/extAuth was made. @example "key-1" */
  @IsOptional()
  @MaxLength(255)
  @IsString()
  extAuthAccessKey?: string;

  /** The format that it wants. @example 3 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  formatId?: number;

  /** Whether it wants to save the file. @example false */
  @IsOptional()
  @CastBoolean()
  @IsBoolean()
  download?: boolean;
}

export class ExplainDeliveryDto extends IntersectionType(DescribedViewerDto, ExplainedConfigurationDto) {}

/** What one rule has to do with it. */
export class RuleOutcomeResponse {
  /** @example "matchReferer" */
  rule: DeliveryRule;
  /** skipped: it is not set, or one that suffices instead has passed. @example "failed" */
  result: RuleOutcome['result'];
  /** @example "The request comes from a page of evil.example, port 443, which is not in the list." */
  detail: string;
}

/** Whether the viewer would get it, and why. */
export class DeliveryExplanationResponse {
  /** @example false */
  allowed: boolean;
  /** The first rule in the way; null: none is. @example "matchReferer" */
  rule: DeliveryRule | null;
  /** The code of the 403 that the viewer gets; null: none. @example "referer_not_allowed" */
  code: string | null;
  rules: RuleOutcomeResponse[];
}
