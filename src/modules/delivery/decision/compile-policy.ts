import type { BandwidthRule, IpWhiteList, PlayerSettings, SecuritySettings } from '../../player-configurations/index.js';
import { CidrTable } from './cidr-table.js';
import { HostPatterns, hostName } from './host-names.js';

/** A format that a configuration delivers. */
export interface DeliveredFormat {
  readonly formatId: number;
  readonly downloadable: boolean;
}

/** What protects a configuration, made ready for many decisions. Null: the rule is not set. */
export interface CompiledPolicy {
  readonly auth: boolean;
  readonly extAuth: { readonly accessKeys: ReadonlySet<string> } | null;
  /** `bySession`: a login session with a live authorization for the client suffices. */
  readonly oauth: { readonly clientId: string; readonly bySession: boolean } | null;
  readonly ipWhiteList: CidrTable<null> | null;
  readonly authOnly: boolean;
  readonly matchReferer: HostPatterns | null;
  /** `''`: a name that is none was set, so no host is right. */
  readonly cname: string | null;
  readonly bandwidthControl: CidrTable<BandwidthRule>;
  /** Whether each format may be downloaded. */
  readonly formats: ReadonlyMap<number, boolean>;
}

/** What of a player configuration decides. */
export interface DeliveryRules {
  readonly securitySettings: SecuritySettings | null;
  readonly settings: PlayerSettings | null;
  readonly formats: readonly DeliveredFormat[];
}

/** Key by key: what `securitySettings` says, or where it lacks the key, the deprecated `settings`. */
export function compilePolicy({ securitySettings, settings, formats }: DeliveryRules): CompiledPolicy {
  const [security, old] = [securitySettings ?? {}, settings ?? {}];
  const extAuth = security.extAuth ?? old.extAuth;
  const oauth = security.oauth ?? old.oauth;
  const matchReferer = security.matchReferer ?? old.matchReferer;
  const cname = security.url?.cname ?? old.cname;
  return {
    auth: (security.auth ?? old.auth)?.enabled === true,
    extAuth: extAuth?.enabled === true ? { accessKeys: new Set(extAuth.allowedAccessKeys ?? []) } : null,
    oauth: oauth?.enabled === true ? { clientId: oauth.clientId, bySession: oauth.grants?.includes('cookie') === true } : null,
    ipWhiteList: compileRanges(security.ipWhiteList ?? old.ipWhiteList, old.ipWhiteList),
    authOnly: (security.authOnly ?? old.authOnly) === true,
    matchReferer: matchReferer ? new HostPatterns(matchReferer) : null,
    cname: cname ? (hostName(cname) ?? '') : null,
    bandwidthControl: new CidrTable((security.bandwidthControl ?? []).map((rule) => ({ cidr: rule.cidr, value: rule }))),
    formats: new Map(formats.map(({ formatId, downloadable }) => [formatId, downloadable])),
  };
}

/** A list that is there without ranges lets nobody in: who takes the last range away does not mean everybody. */
function compileRanges(list: IpWhiteList | undefined, fallback: IpWhiteList | undefined): CidrTable<null> | null {
  if (!list) return null;
  if ('enabled' in list && list.enabled === false) return null;
  const ranges = rangesOf(list) ?? ('enabled' in list && list.enabled ? (rangesOf(fallback) ?? []) : null);
  return ranges && new CidrTable(ranges.map(({ cidr }) => ({ cidr, value: null })));
}

const rangesOf = (list: IpWhiteList | undefined) => (list && 'list' in list ? list.list : Array.isArray(list) ? list : undefined);
