import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString, MaxLength, ValidateBy } from 'class-validator';
import { CastInteger, OptionalFlag } from '../../../shared/http/index.js';
import { IdOf } from '../../../shared/resources/index.js';
import { presupposes } from '../../../shared/validation/index.js';
import { parseAddress } from '../decision/addresses.js';
import type { RuleOutcome } from '../decision/decide-delivery.js';
import type { Viewer } from '../decision/rules/delivery-rule.js';
import type { RuleName } from '../decision/rules/index.js';

/** An IPv4 or IPv6 address, read in the same way as the address of a viewer. */
const IsAddress = () =>
  ValidateBy(
    {
      name: 'isAddress',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && parseAddress(value) !== null,
        defaultMessage: () => '$property must be an IPv4 or IPv6 address',
      },
    },
    presupposes('text'),
  );

export class ExplainedConfigurationDto extends IdOf({ example: 1, description: 'The player configuration.' }) {}

/** A viewer and its request. Absent members mean that the viewer does not have them. */
export class DescribedViewerDto {
  /** The IP address of the viewer. @example "203.0.113.7" */
  @IsAddress()
  ip: string;

  /** The Referer header of the request, or else Origin. @example "https://www.example.com/news" */
  @IsOptional()
  @MaxLength(8_192)
  @IsString()
  referer?: string;

  /** The Host header of the request; default: the host of the service. @example "video.example.com" */
  @IsOptional()
  @MaxLength(255)
  @IsString()
  host?: string;

  /** Whether the viewer is signed in as a user of the customer. @example false */
  @OptionalFlag()
  userLoggedIn?: boolean;

  /** The client application that the viewer's access token was issued to. @example "demo" */
  @IsOptional()
  @MaxLength(255)
  @IsString()
  oauthClientId?: string;

  /** The access key with which the viewer's token of POST /v5/extAuth was issued. @example "key-1" */
  @IsOptional()
  @MaxLength(255)
  @IsString()
  extAuthAccessKey?: string;

  /** The requested format. @example 3 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  formatId?: number;

  /** Whether the viewer wants to download the file. @example false */
  @OptionalFlag()
  download?: boolean;
}

/** The viewer and its request as the rules see them. */
export const toViewer = ({ ip, ...described }: DescribedViewerDto, defaultHost: string): Viewer => ({
  address: parseAddress(ip),
  referer: described.referer ?? null,
  host: described.host ?? defaultHost,
  userOfCustomer: described.userLoggedIn ?? false,
  tokenClientId: described.oauthClientId ?? null,
  sessionClientId: null,
  extAuthAccessKey: described.extAuthAccessKey ?? null,
  formatId: described.formatId ?? undefined,
  download: described.download ?? undefined,
});

export class ExplainDeliveryDto extends IntersectionType(DescribedViewerDto, ExplainedConfigurationDto) {}

/** The result of one rule. */
export class RuleOutcomeResponse {
  /** `bandwidthControl` is the last one, if concurrent plays are limited for the viewer. @example "matchReferer" */
  rule: RuleName | 'bandwidthControl';
  /** skipped: the rule is not set, does not apply to the request, or is not needed because another one has passed. @example "failed" */
  result: RuleOutcome['result'];
  /** @example "The request comes from a page of evil.example, port 443, which is not in the list." */
  detail: string;
}

/** Whether the viewer would be admitted, and why. */
export class DeliveryExplanationResponse {
  /** @example false */
  allowed: boolean;
  /** The first rule that refuses the viewer; null: none. @example "matchReferer" */
  rule: RuleName | 'bandwidthControl' | null;
  /** The code of the 403 (`bandwidthControl`: 429) that the viewer would get; null: none. @example "referer_not_allowed" */
  code: string | null;
  /**
   * What sends the file: the service where a bandwidth limit applies, otherwise the CDN if there is one, or the storage. Downloads, active
   * content and uploads with a wrong media type come from the storage even with a CDN. Null: the viewer is refused. @example "cdn"
   */
  @ApiProperty({ enum: ['cdn', 'storage', 'service'], nullable: true })
  sentBy: 'cdn' | 'storage' | 'service' | null;
  rules: RuleOutcomeResponse[];
}
