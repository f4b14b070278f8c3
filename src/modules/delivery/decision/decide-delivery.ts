import type { CompiledPolicy } from './compile-policy.js';
import type { DeliveryRule } from './rules/delivery-rule.js';
import type { DenialCode, RuleName } from './rules/index.js';
import type { Viewer } from './viewer.js';

export interface Denial {
  readonly allowed: false;
  readonly rule: RuleName;
  readonly code: DenialCode;
}

export type Decision = { readonly allowed: true } | Denial;

/** A rule that concerns a request, and what it says about the viewer. */
export interface Check {
  readonly rule: DeliveryRule;
  readonly setting: unknown;
  /** Null: the viewer passes. */
  readonly code: DenialCode | null;
}

/** The checks of all rules that are set and concern the request, and those of them of which one is enough. */
export interface Checks {
  readonly all: readonly Check[];
  readonly alternatives: readonly Check[];
}

/** Applies each rule on its own. */
export function applyRules(policy: CompiledPolicy, viewer: Viewer): Checks {
  const wantsFile = viewer.formatId !== undefined || viewer.download === true;
  const all = policy.rules.flatMap((rule): Check[] => {
    const setting = (policy.settings as Readonly<Record<string, unknown>>)[rule.name] ?? null;
    if (setting === null || (rule.scope === 'file' && !wantsFile)) return [];
    return [{ rule, setting, code: rule.findDenial(setting, viewer) as DenialCode | null }];
  });
  const authentications = all.filter(({ rule }) => rule.combination === 'authentication');
  if (authentications.length === 0) return { all, alternatives: [] };
  const allowLists = policy.authOnly ? [] : all.filter(({ rule }) => rule.combination === 'allow-list');
  return { all, alternatives: [...authentications, ...allowLists] };
}

/** Whether a viewer gets what it asks for, or else the first rule that refuses it. */
export function decideDelivery(policy: CompiledPolicy, viewer: Viewer): Decision {
  const { all, alternatives } = applyRules(policy, viewer);
  const [first] = alternatives;
  const required = all.filter((check) => !alternatives.includes(check));
  const noneSuffices = alternatives.every(({ code }) => code !== null);
  const refusing = first && noneSuffices ? first : required.find(({ code }) => code !== null);
  if (!refusing || refusing.code === null) return { allowed: true };
  return { allowed: false, rule: refusing.rule.name as RuleName, code: refusing.code };
}
