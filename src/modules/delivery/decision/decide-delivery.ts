import type { CompiledPolicy } from './compile-policy.js';
import { hostName, refererPage } from './host-names.js';
import type { Viewer } from './viewer.js';

/** A rule by its key in securitySettings; `formats`: what the configuration delivers. */
export type DeliveryRule = 'auth' | 'extAuth' | 'oauth' | 'ipWhiteList' | 'matchReferer' | 'url.cname' | 'formats';

export type DenialCode =
  | 'auth_required'
  | 'ext_auth_required'
  | 'oauth_required'
  | 'ip_not_allowed'
  | 'referer_not_allowed'
  | 'wrong_host'
  | 'not_downloadable'
  | 'format_not_in_configuration';

export interface Denial {
  readonly allowed: false;
  readonly rule: DeliveryRule;
  readonly code: DenialCode;
}

export type Decision = { readonly allowed: true } | Denial;

/** One rule: whether the policy sets it, and what a viewer is refused with; null: it passes. */
export interface Check {
  readonly rule: DeliveryRule;
  isSet(policy: CompiledPolicy, viewer: Viewer): boolean;
  refuse(policy: CompiledPolicy, viewer: Viewer): DenialCode | null;
}

const auth: Check = {
  rule: 'auth',
  isSet: (policy) => policy.auth,
  refuse: (_, viewer) => (viewer.userOfCustomer ? null : 'auth_required'),
};

const extAuth: Check = {
  rule: 'extAuth',
  isSet: (policy) => policy.extAuth !== null,
  refuse: ({ extAuth: rule }, { extAuthAccessKey: key }) => (key !== null && rule?.accessKeys.has(key) ? null : 'ext_auth_required'),
};

const oauth: Check = {
  rule: 'oauth',
  isSet: (policy) => policy.oauth !== null,
  refuse: ({ oauth: rule }, { tokenClientId, sessionClientId }) => {
    const passes = rule && (tokenClientId === rule.clientId || (rule.bySession && sessionClientId === rule.clientId));
    return passes ? null : 'oauth_required';
  },
};

const ipWhiteList: Check = {
  rule: 'ipWhiteList',
  isSet: (policy) => policy.ipWhiteList !== null,
  refuse: (policy, { address }) => (address && policy.ipWhiteList?.covers(address) ? null : 'ip_not_allowed'),
};

const matchReferer: Check = {
  rule: 'matchReferer',
  isSet: (policy) => policy.matchReferer !== null,
  refuse: (policy, viewer) => {
    if (viewer.fromPlayer) return null;
    const page = refererPage(viewer.referer);
    return page !== null && policy.matchReferer?.match(page) ? null : 'referer_not_allowed';
  },
};

const cname: Check = {
  rule: 'url.cname',
  isSet: (policy) => policy.cname !== null,
  refuse: (policy, { host }) => (hostName(host) === policy.cname ? null : 'wrong_host'),
};

const formats: Check = {
  rule: 'formats',
  isSet: (_, { formatId, download }) => formatId !== undefined || download === true,
  refuse: (policy, { formatId, download }) => {
    if (formatId === undefined) return [...policy.formats.values()].includes(true) ? null : 'not_downloadable';
    const downloadable = policy.formats.get(formatId);
    if (downloadable === undefined) return 'format_not_in_configuration';
    return download && !downloadable ? 'not_downloadable' : null;
  },
};

/** All rules, in the order in which a denial names them. */
export const checks: readonly Check[] = [auth, extAuth, oauth, ipWhiteList, matchReferer, cname, formats];

const authentications: readonly Check[] = [auth, extAuth, oauth];

/**
 * The rules of which one suffices: the enabled authentications, and unless `authOnly` the allow-list with them. Without an authentication
 * the allow-list stands alone.
 */
export function alternativesOf(policy: CompiledPolicy, viewer: Viewer): readonly Check[] {
  const enabled = authentications.filter((check) => check.isSet(policy, viewer));
  const joinsAllowList = enabled.length > 0 && !policy.authOnly && ipWhiteList.isSet(policy, viewer);
  return joinsAllowList ? [...enabled, ipWhiteList] : enabled;
}

/** Whether a viewer gets what it wants; else the first rule in the way. */
export function decideDelivery(policy: CompiledPolicy, viewer: Viewer): Decision {
  const alternatives = alternativesOf(policy, viewer);
  const [first] = alternatives;
  if (first && alternatives.every((check) => check.refuse(policy, viewer) !== null)) return denialBy(first, policy, viewer);
  for (const check of checks) {
    if (alternatives.includes(check) || !check.isSet(policy, viewer)) continue;
    if (check.refuse(policy, viewer) !== null) return denialBy(check, policy, viewer);
  }
  return { allowed: true };
}

function denialBy(check: Check, policy: CompiledPolicy, viewer: Viewer): Denial {
  const code = check.refuse(policy, viewer);
  if (code === null) throw new Error(`The rule ${check.rule} refuses nothing here.`);
  return { allowed: false, rule: check.rule, code };
}
