import { IsBoolean, IsString, MaxLength } from 'class-validator';
import { NestedObject, UnlessNull } from '../../../shared/validation/index.js';
import { AuthRuleDto, ExtAuthRuleDto, OptionalOauthRuleDto } from './access-rules.dto.js';
import { AreRefererHosts, IsFullDomainName } from './domain-name.js';
import { CidrRangeDto, DocumentsIpWhiteList, IpWhiteListDto, IsIpWhiteList } from './ip-white-list.dto.js';
import { EmbedCustomerDto, FixedPreviewImageDto, SubtitleSettingsDto } from './presentation.dto.js';

/**
 * How links look, and older spellings of what protects them, which count where `securitySettings` lacks the member. In an update each
 * member is replaced whole, an absent one stays, null clears it.
 */
@DocumentsIpWhiteList()
export class PlayerSettingsDto {
  /**
   * Use `securitySettings.auth`.
   * @deprecated
   */
  @UnlessNull()
  @NestedObject(() => AuthRuleDto)
  auth?: AuthRuleDto | null;

  /** Viewers carry a token that an access key signed; `securitySettings.extAuth` wins. */
  @UnlessNull()
  @NestedObject(() => ExtAuthRuleDto)
  extAuth?: ExtAuthRuleDto | null;

  /** Viewers carry an access token of a client application; `securitySettings.oauth` wins. */
  @UnlessNull()
  @NestedObject(() => OptionalOauthRuleDto)
  oauth?: OptionalOauthRuleDto | null;

  /** Addresses of viewers; `securitySettings.ipWhiteList` wins. As a list it is deprecated. Answered as it was sent. */
  @UnlessNull()
  @IsIpWhiteList()
  ipWhiteList?: CidrRangeDto[] | IpWhiteListDto | null;

  /** Whether the allow-list does not replace authentication; `securitySettings.authOnly` wins. @example false */
  @UnlessNull()
  @IsBoolean()
  authOnly?: boolean | null;

  /**
   * Use `securitySettings.matchReferer`. @example ["*.example.org"]
   * @deprecated
   */
  @UnlessNull()
  @AreRefererHosts()
  matchReferer?: string[] | null;

  /**
   * Use `securitySettings.url.cname`. @example "media.example.org"
   * @deprecated
   */
  @UnlessNull()
  @IsFullDomainName()
  cname?: string | null;

  /**
   * Use `providerName` and `providerUrl`.
   * @deprecated
   */
  @UnlessNull()
  @NestedObject(() => EmbedCustomerDto)
  customer?: EmbedCustomerDto | null;

  /** Whom embed links name as their provider. @example "Example Media" */
  @UnlessNull()
  @MaxLength(255)
  @IsString()
  providerName?: string | null;

  /** @example "www.example.org" */
  @UnlessNull()
  @IsFullDomainName()
  providerUrl?: string | null;

  /** One preview image for all embed links. */
  @UnlessNull()
  @NestedObject(() => FixedPreviewImageDto)
  fixedPreviewImage?: FixedPreviewImageDto | null;

  /** Subtitles of the player. */
  @UnlessNull()
  @NestedObject(() => SubtitleSettingsDto)
  subtitle?: SubtitleSettingsDto | null;
}
