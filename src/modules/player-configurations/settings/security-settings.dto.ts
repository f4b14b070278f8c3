import { applyDecorators } from '@nestjs/common';
import type { ClassConstructor } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsInt, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import {
  MAX_DISPLAY_NAME_CHARACTERS,
  MAX_INTEGER,
  NestedList,
  NestedObject,
  type Stored,
  UnlessNull,
} from '../../../shared/validation/index.js';
import { AreRefererHosts, IsFullDomainName } from './domain-name.js';
import { CidrRangeDto, DocumentsIpWhiteList, IpWhiteListDto, IsAddressRange, IsIpWhiteList } from './ip-white-list.dto.js';

/** More keys than a customer can list by hand. */
const MAX_KEYS = 1_000;
const GRANTS = ['cookie'];

/** An optional member with its own class; null clears it. */
export const OptionalObject = (type: () => ClassConstructor<object>): PropertyDecorator =>
  applyDecorators(NestedObject(type), UnlessNull());

/** Whether viewers have to be signed in. */
export class AuthRuleDto {
  /** @example true */
  @UnlessNull()
  @IsBoolean()
  enabled?: boolean | null;
}

/** Viewers present a token that was issued with an access key. */
export class ExtAuthRuleDto {
  /** @example true */
  @UnlessNull()
  @IsBoolean()
  enabled?: boolean | null;

  /** The access keys whose tokens are accepted; they need not exist yet. @example ["AK-PARTNER"] */
  @ArrayMaxSize(MAX_KEYS)
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS, { each: true })
  @MinLength(1, { each: true })
  @IsString({ each: true })
  @IsArray()
  allowedAccessKeys: string[];
}

/** Viewers present an access token of a client application. */
class OauthClientDto {
  /** The client application; it must exist. @example "intranet" */
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @MinLength(1)
  @IsString()
  clientId: string;

  /**
   * `cookie`: a login session is enough if its user has authorized the client. @example ["cookie"]
   * @deprecated
   */
  @UnlessNull()
  @ArrayMaxSize(GRANTS.length)
  @IsIn(GRANTS, { each: true })
  @IsArray()
  grants?: string[] | null;
}

/** Viewers present an access token of a client application. */
export class OauthRuleDto extends OauthClientDto {
  /** @example true */
  @IsBoolean()
  enabled: boolean;
}

/** The same rule in `settings`, in which `enabled` may be omitted. */
export class OptionalOauthRuleDto extends OauthClientDto {
  /** @example true */
  @UnlessNull()
  @IsBoolean()
  enabled?: boolean | null;
}

/** A limit for the viewers in a range of addresses. */
export class BandwidthRuleDto {
  /** A range, or a single address. @example "192.0.2.0/24" */
  @IsAddressRange()
  cidr: string;

  /** parallel: number of concurrent plays; bandwidth: kbit/s. @example "parallel" */
  @IsIn(['parallel', 'bandwidth'])
  type: 'parallel' | 'bandwidth';

  /** @example 10 */
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  limit: number;
}

/** Where links are delivered. */
export class DeliveryHostDto {
  /** The only host on which links are delivered. @example "media.example.org" */
  @UnlessNull()
  @IsFullDomainName()
  cname?: string | null;
}

/**
 * The rules that protect the links of a configuration. An update replaces each member that it names as a whole; null clears it, and absent members
 * are unchanged.
 */
@DocumentsIpWhiteList()
export class SecuritySettingsDto {
  /** Viewers have to be signed in as users of the customer. */
  @OptionalObject(() => AuthRuleDto)
  auth?: AuthRuleDto | null;

  /** Viewers present a token that was issued with an access key. */
  @OptionalObject(() => ExtAuthRuleDto)
  extAuth?: ExtAuthRuleDto | null;

  /** Viewers present an access token of a client application. */
  @OptionalObject(() => OauthRuleDto)
  oauth?: OauthRuleDto | null;

  /** The allowed addresses of viewers. Returned as it was sent. */
  @UnlessNull()
  @IsIpWhiteList()
  ipWhiteList?: CidrRangeDto[] | IpWhiteListDto | null;

  /** True: viewers need an allowed address and authentication; false: either is enough. @example false */
  @IsBoolean()
  authOnly: boolean;

  /** Limits for ranges of addresses; the most specific range counts. */
  @UnlessNull()
  @NestedList(() => BandwidthRuleDto)
  bandwidthControl?: BandwidthRuleDto[] | null;

  /** The hosts whose pages may show the links: names, subdomains or IP addresses, on any port unless one is given. @example ["*.example.org", "10.0.0.5:8080"] */
  @UnlessNull()
  @AreRefererHosts()
  matchReferer?: string[] | null;

  /** Where links are delivered. */
  @OptionalObject(() => DeliveryHostDto)
  url?: DeliveryHostDto | null;
}

/** The rules that protect the links of a configuration, as they are stored (specification, securitySettings; contract section 7). */
export type SecuritySettings = Partial<Omit<Stored<SecuritySettingsDto>, 'oauth'>> & { readonly oauth?: Stored<OptionalOauthRuleDto> };

/** A list of address ranges in any of its forms. */
export type IpWhiteList = NonNullable<SecuritySettings['ipWhiteList']>;

/** A limit for the viewers of one range of addresses. */
export type BandwidthRule = Stored<BandwidthRuleDto>;
