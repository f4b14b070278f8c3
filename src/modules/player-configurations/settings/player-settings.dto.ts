import { ArrayMaxSize, IsArray, IsBoolean, IsInt, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { IsId, MAX_DISPLAY_NAME_CHARACTERS, MAX_INTEGER, type Stored, UnlessNull } from '../../../shared/validation/index.js';
import { AreRefererHosts, IsFullDomainName } from './domain-name.js';
import { CidrRangeDto, DocumentsIpWhiteList, IpWhiteListDto, IsIpWhiteList } from './ip-white-list.dto.js';
import {
  AuthRuleDto,
  ExtAuthRuleDto,
  type IpWhiteList,
  OptionalOauthRuleDto,
  OptionalObject,
  type SecuritySettings,
} from './security-settings.dto.js';

const MAX_EXTENSIONS = 1_000;

/** The provider that embed links name. */
export class EmbedCustomerDto {
  /** @example "Example Media" */
  @UnlessNull()
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @IsString()
  name?: string | null;

  /** @example "www.example.org" */
  @UnlessNull()
  @IsFullDomainName()
  url?: string | null;
}

/** One preview image for all embed links of the configuration. */
export class FixedPreviewImageDto {
  /** @example true */
  @UnlessNull()
  @IsBoolean()
  enabled?: boolean | null;

  /** The media container whose image is shown; if absent, a default image for the extension of the original. @example 7 */
  @UnlessNull()
  @IsId()
  mediaContainerId?: number | null;

  /** Only for originals with one of these extensions, regardless of case and leading dot; empty: for all. @example ["pdf"] */
  @UnlessNull()
  @ArrayMaxSize(MAX_EXTENSIONS)
  @Matches(/^\.?[A-Za-z\d]{1,16}$/, { each: true, message: 'each value in preferredFileExtensions must be a file extension (pdf)' })
  @IsArray()
  preferredFileExtensions?: string[] | null;
}

/** Subtitles of the player. */
export class SubtitleSettingsDto {
  /** Index of the track. @example 0 */
  @UnlessNull()
  @Max(MAX_INTEGER)
  @Min(0)
  @IsInt()
  default?: number | null;

  /** 0: off; 1: the track in `lang` is on; 2: the viewer's language is on; 3: always on; 4: off until the viewer chooses a track. @example 1 */
  @UnlessNull()
  @Max(4)
  @Min(0)
  @IsInt()
  behaviour?: number | null;

  /** Language code (ISO 639-2). @example "deu" */
  @UnlessNull()
  @Matches(/^[a-z]{3}$/, { message: 'lang must be an ISO 639-2 language code of three lower-case letters (deu)' })
  lang?: string | null;
}

/**
 * The appearance of links, and older spellings of the rules that protect them, which apply if `securitySettings` lacks the member. An update replaces
 * each member that it names as a whole; null clears it, and absent members are unchanged.
 */
@DocumentsIpWhiteList()
export class PlayerSettingsDto {
  /**
   * Use `securitySettings.auth`.
   * @deprecated
   */
  @OptionalObject(() => AuthRuleDto)
  auth?: AuthRuleDto | null;

  /** Viewers present a token that was issued with an access key; `securitySettings.extAuth` takes precedence. */
  @OptionalObject(() => ExtAuthRuleDto)
  extAuth?: ExtAuthRuleDto | null;

  /** With `automaticFormats`: whether viewers may play and download the original; default: false. @example false */
  @UnlessNull()
  @IsBoolean()
  download?: boolean | null;

  /** Viewers present an access token of a client application; `securitySettings.oauth` takes precedence. */
  @OptionalObject(() => OptionalOauthRuleDto)
  oauth?: OptionalOauthRuleDto | null;

  /** The allowed addresses of viewers; `securitySettings.ipWhiteList` takes precedence. Deprecated as a list. Returned as it was sent. */
  @UnlessNull()
  @IsIpWhiteList({ isListDeprecated: true })
  ipWhiteList?: CidrRangeDto[] | IpWhiteListDto | null;

  /** True: viewers need an allowed address and authentication; `securitySettings.authOnly` takes precedence. @example false */
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
  @OptionalObject(() => EmbedCustomerDto)
  customer?: EmbedCustomerDto | null;

  /** The provider that embed links name. @example "Example Media" */
  @UnlessNull()
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @IsString()
  providerName?: string | null;

  /** @example "www.example.org" */
  @UnlessNull()
  @IsFullDomainName()
  providerUrl?: string | null;

  /** One preview image for all embed links. */
  @OptionalObject(() => FixedPreviewImageDto)
  fixedPreviewImage?: FixedPreviewImageDto | null;

  /** Subtitles of the player. */
  @OptionalObject(() => SubtitleSettingsDto)
  subtitle?: SubtitleSettingsDto | null;
}

/** The appearance of links, and deprecated spellings of the rules that protect them, as they are stored (specification, settings). */
export type PlayerSettings = Stored<PlayerSettingsDto>;

/** The rules of a configuration in one shape, whichever spelling they are stored in. */
export interface AppliedSecurity extends Omit<SecuritySettings, 'ipWhiteList' | 'url'> {
  /** Null: any address is allowed. */
  readonly ipWhiteList: readonly Stored<CidrRangeDto>[] | null;
  readonly cname?: string | undefined;
}

/**
 * Returns the rules that apply: each is that of `securitySettings`, or the older spelling of it in `settings` where that lacks the member
 * (specification, Player configuration, settings fields; contract section 7).
 */
export function appliedSecurity(stored: {
  readonly securitySettings: SecuritySettings | null;
  readonly settings: PlayerSettings | null;
}): AppliedSecurity {
  const [security, older] = [stored.securitySettings ?? {}, stored.settings ?? {}];
  return {
    ...security,
    auth: security.auth ?? older.auth,
    extAuth: security.extAuth ?? older.extAuth,
    oauth: security.oauth ?? older.oauth,
    ipWhiteList: appliedRanges(security.ipWhiteList ?? older.ipWhiteList, older.ipWhiteList),
    authOnly: security.authOnly ?? older.authOnly,
    matchReferer: security.matchReferer ?? older.matchReferer,
    cname: security.url?.cname ?? older.cname,
  };
}

/** The list that applies; one that is on but has no ranges takes those of `settings`. */
function appliedRanges(list: IpWhiteList | undefined, older: IpWhiteList | undefined): AppliedSecurity['ipWhiteList'] {
  if (!list || ('enabled' in list && list.enabled === false)) return null;
  return rangesOf(list) ?? ('enabled' in list && list.enabled ? (rangesOf(older) ?? []) : null);
}

const rangesOf = (list: IpWhiteList | undefined) => (list && 'list' in list ? list.list : Array.isArray(list) ? list : undefined);
