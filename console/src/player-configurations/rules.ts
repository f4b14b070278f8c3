import type { Configuration } from './queries';

/** What the rules of a player configuration demand of viewers. */
export interface Rules {
  /** Whether users of the customer who are signed in get in. */
  readonly signedIn: boolean;
  /** Access keys whose tokens let viewers in; null: the rule is not set. */
  readonly accessKeys: readonly string[] | null;
  /** The client application whose tokens let viewers in. */
  readonly clientId: string | null;
  /** Ranges of addresses; null: any address. */
  readonly addresses: readonly string[] | null;
  /** Whether an allowed address and an authentication are both needed. */
  readonly isBoth: boolean;
  /** Hosts whose pages may show the player; null: any. */
  readonly pages: readonly string[] | null;
  /** The only host on which links work; null: any. */
  readonly host: string | null;
  readonly limits: readonly { readonly cidr: string; readonly type: 'parallel' | 'bandwidth'; readonly limit: number }[];
}

/** The rules of a configuration: those of `securitySettings`, or the deprecated ones of `settings` where it lacks them. */
export function rulesOf({ securitySettings, settings }: Pick<Configuration, 'securitySettings' | 'settings'>): Rules {
  const list = securitySettings?.ipWhiteList ?? settings?.ipWhiteList ?? null;
  const deprecated = Array.isArray(settings?.ipWhiteList) ? settings.ipWhiteList : settings?.ipWhiteList?.list;
  const ranges = Array.isArray(list) ? list : list?.enabled ? (list.list ?? deprecated ?? []) : null;
  const extAuth = securitySettings?.extAuth ?? settings?.extAuth;
  const oauth = securitySettings?.oauth ?? settings?.oauth;
  return {
    signedIn: (securitySettings?.auth ?? settings?.auth)?.enabled === true,
    accessKeys: extAuth?.enabled ? (extAuth.allowedAccessKeys ?? []) : null,
    clientId: oauth?.enabled ? (oauth.clientId ?? null) : null,
    addresses: ranges?.map(({ cidr }) => cidr) ?? null,
    isBoth: (securitySettings?.authOnly ?? settings?.authOnly) === true,
    pages: securitySettings?.matchReferer ?? settings?.matchReferer ?? null,
    host: securitySettings?.url?.cname ?? settings?.cname ?? null,
    limits: securitySettings?.bandwidthControl ?? [],
  };
}
