import { authRule } from './auth.rule.js';
import type { DeliveryRule } from './delivery-rule.js';
import { extAuthRule } from './ext-auth.rule.js';
import { formatsRule } from './formats.rule.js';
import { ipWhiteListRule } from './ip-white-list.rule.js';
import { matchRefererRule } from './match-referer.rule.js';
import { oauthRule } from './oauth.rule.js';
import { urlCnameRule } from './url-cname.rule.js';

/** All delivery rules; of several that refuse a viewer, the first one in this order is reported. */
export const deliveryRules = [authRule, extAuthRule, oauthRule, ipWhiteListRule, matchRefererRule, urlCnameRule, formatsRule] as const;

type Rule = (typeof deliveryRules)[number];

export type RuleName = Rule['name'];

/** The codes with which rules refuse. */
export type DenialCode = CodeOf<Rule>;

type CodeOf<One> = One extends DeliveryRule<string, infer Code, infer _Setting> ? Code : never;

/** The setting of each rule, ready for decisions; null: the rule is not set. */
export type RuleSettingsByName = { readonly [One in Rule as One['name']]: ReturnType<One['readSetting']> };
