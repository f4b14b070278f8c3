import { IsBoolean } from 'class-validator';
import { NestedList, NestedObject, UnlessNull } from '../../../shared/validation/index.js';
import { AuthRuleDto, ExtAuthRuleDto, OauthRuleDto } from './access-rules.dto.js';
import { BandwidthRuleDto } from './bandwidth-rule.dto.js';
import { AreRefererHosts, IsFullDomainName } from './domain-name.js';
import { CidrRangeDto, DocumentsIpWhiteList, IpWhiteListDto, IsIpWhiteList } from './ip-white-list.dto.js';

/** Where links are delivered. */
export class DeliveryHostDto {
  /** Links are delivered on this host only. @example "media.example.org" */
  @UnlessNull()
  @IsFullDomainName()
  cname?: string | null;
}

/** What protects the links of a configuration. In an update each member is replaced whole, an absent one stays, null clears it. */
@DocumentsIpWhiteList()
export class SecuritySettingsDto {
  /** Viewers have to be signed in as users of the customer. */
  @UnlessNull()
  @NestedObject(() => AuthRuleDto)
  auth?: AuthRuleDto | null;

  /** Viewers carry a token that an access key signed. */
  @UnlessNull()
  @NestedObject(() => ExtAuthRuleDto)
  extAuth?: ExtAuthRuleDto | null;

  /** Viewers carry an access token of a client application. */
  @UnlessNull()
  @NestedObject(() => OauthRuleDto)
  oauth?: OauthRuleDto | null;

  /** Addresses of viewers. Answered as it was sent. */
  @UnlessNull()
  @IsIpWhiteList()
  ipWhiteList?: CidrRangeDto[] | IpWhiteListDto | null;

  /** True: the allow-list does not replace authentication, both must hold; false: either suffices. @example false */
  @IsBoolean()
  authOnly: boolean;

  /** Limits for ranges of addresses; the most specific counts. */
  @UnlessNull()
  @NestedList(() => BandwidthRuleDto)
  bandwidthControl?: BandwidthRuleDto[] | null;

  /** Hosts whose pages may show the links: names, subdomains or IP addresses, on any port unless one is named. @example ["*.example.org", "10.0.0.5:8080"] */
  @UnlessNull()
  @AreRefererHosts()
  matchReferer?: string[] | null;

  /** Where links are delivered. */
  @UnlessNull()
  @NestedObject(() => DeliveryHostDto)
  url?: DeliveryHostDto | null;
}
