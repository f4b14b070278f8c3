/** One range of addresses. */
export interface CidrRange {
  readonly cidr: string;
  readonly type: 'ipv4' | 'ipv6';
}

/** A limit for viewers of one range: plays at the same time, or kbit/s together. */
export interface BandwidthRule {
  readonly cidr: string;
  readonly type: 'parallel' | 'bandwidth';
  readonly limit: number;
}

/** A list of ranges, in each spelling that clients send; answered as it was sent. */
export type IpWhiteList = readonly CidrRange[] | { readonly enabled?: boolean; readonly list?: readonly CidrRange[] };

export interface ExtAuthSettings {
  readonly enabled?: boolean;
  readonly allowedAccessKeys: readonly string[];
}

export interface OauthSettings {
  readonly enabled?: boolean;
  readonly clientId: string;
  /** Deprecated; allowed value: cookie. */
  readonly grants?: readonly string[];
}

/** What protects the links of a configuration (specification, securitySettings; contract section 7). */
export interface SecuritySettings {
  readonly auth?: { readonly enabled?: boolean };
  readonly extAuth?: ExtAuthSettings;
  readonly oauth?: OauthSettings;
  readonly ipWhiteList?: IpWhiteList;
  readonly authOnly?: boolean;
  readonly bandwidthControl?: readonly BandwidthRule[];
  readonly matchReferer?: readonly string[];
  readonly url?: { readonly cname?: string };
}

/** How subtitles behave: 0 off, 1 the track in `lang` on, 2 the viewer's language on, 3 always on, 4 hidden until chosen. */
export type SubtitleBehaviour = 0 | 1 | 2 | 3 | 4;

/** How links look, and the deprecated spellings of what protects them (specification, settings). */
export interface PlayerSettings {
  readonly auth?: { readonly enabled?: boolean };
  readonly extAuth?: ExtAuthSettings;
  readonly oauth?: OauthSettings;
  readonly ipWhiteList?: IpWhiteList;
  readonly authOnly?: boolean;
  readonly matchReferer?: readonly string[];
  /** Deprecated; `securitySettings.url.cname`. */
  readonly cname?: string;
  /** Deprecated. */
  readonly customer?: { readonly name?: string; readonly url?: string };
  readonly providerName?: string;
  readonly providerUrl?: string;
  readonly fixedPreviewImage?: {
    readonly enabled?: boolean;
    readonly mediaContainerId?: number;
    readonly preferredFileExtensions?: readonly string[];
  };
  readonly subtitle?: {
    /** Index of the track. */
    readonly default?: number;
    readonly behaviour?: SubtitleBehaviour;
    /** ISO 639-2. */
    readonly lang?: string;
  };
}
