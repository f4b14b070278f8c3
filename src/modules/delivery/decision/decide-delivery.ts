import {
  appliedSecurity,
  type BandwidthRule,
  type DeliveredFormat,
  type PlayerSettings,
  type SecuritySettings,
} from '../../player-configurations/index.js';
import { CidrTable } from './addresses.js';
import type { DeliveryRule, Viewer } from './rules/delivery-rule.js';
import { type DenialCode, deliveryRules, type RuleName, type RuleSettingsByName } from './rules/index.js';

/** The rules that protect a configuration, prepared for many decisions. */
export interface CompiledPolicy {
  readonly rules: readonly DeliveryRule[];
  readonly settings: RuleSettingsByName;
  /** Whether an authentication is required in addition to an allowed address. */
  readonly authOnly: boolean;
  readonly bandwidthControl: CidrTable<BandwidthRule>;
}

/** The parts of a player configuration that determine deliveries. */
export interface ProtectedConfiguration {
  readonly securitySettings: SecuritySettings | null;
  readonly settings: PlayerSettings | null;
  readonly formats: readonly DeliveredFormat[];
}

/** Compiles the rules of a configuration. */
export function compilePolicy(
  { formats, ...stored }: ProtectedConfiguration,
  rules: readonly DeliveryRule[] = deliveryRules,
): CompiledPolicy {
  const security = appliedSecurity(stored);
  const read = rules.map((rule) => [rule.name, rule.readSetting({ ...security, formats })]);
  return {
    rules,
    settings: Object.fromEntries(read) as RuleSettingsByName,
    authOnly: security.authOnly === true,
    bandwidthControl: new CidrTable((security.bandwidthControl ?? []).map((rule) => ({ cidr: rule.cidr, value: rule }))),
  };
}

export interface Denial {
  readonly allowed: false;
  readonly rule: RuleName;
  readonly code: DenialCode;
}

export type Decision = { readonly allowed: true } | Denial;

/** A rule that applies to a request, and its result for the viewer. */
interface Check {
  readonly rule: DeliveryRule;
  readonly setting: unknown;
  /** Null: the viewer passes. */
  readonly code: DenialCode | null;
}

/** The checks of all rules that are set and apply to the request, and the alternatives among them, of which one is enough. */
interface Checks {
  readonly all: readonly Check[];
  readonly alternatives: readonly Check[];
}

/** Applies each rule independently. */
function applyRules(policy: CompiledPolicy, viewer: Viewer): Checks {
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

/** Decides whether a viewer gets what it requests; if not, returns the first rule that refuses it. */
export function decideDelivery(policy: CompiledPolicy, viewer: Viewer): Decision {
  const { all, alternatives } = applyRules(policy, viewer);
  const [first] = alternatives;
  const required = all.filter((check) => !alternatives.includes(check));
  const noneSuffices = alternatives.every(({ code }) => code !== null);
  const refusing = first && noneSuffices ? first : required.find(({ code }) => code !== null);
  if (!refusing || refusing.code === null) return { allowed: true };
  return { allowed: false, rule: refusing.rule.name as RuleName, code: refusing.code };
}

export interface RuleOutcome {
  readonly rule: RuleName;
  /** skipped: the rule is not set, does not apply to the request, or is not needed because an alternative has passed. */
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly detail: string;
}

export interface DeliveryExplanation {
  readonly allowed: boolean;
  /** The first rule that refuses the viewer, and the code of the refusal. */
  readonly rule: RuleName | null;
  readonly code: DenialCode | null;
  readonly rules: readonly RuleOutcome[];
}

/**
 * Returns the decision with the result of each rule: a viewer is admitted if no rule has failed, and otherwise refused by the first rule that has.
 */
export function explainDelivery(policy: CompiledPolicy, viewer: Viewer): DeliveryExplanation {
  const { all, alternatives } = applyRules(policy, viewer);
  const sufficient = alternatives.find(({ code }) => code === null);
  const rules = policy.rules.map((rule): RuleOutcome => {
    const name = rule.name as RuleName;
    const check = all.find((one) => one.rule === rule);
    if (!check) return { rule: name, result: 'skipped', detail: rule.notSetText };
    const detail = rule.explain(check.setting, viewer);
    if (check.code === null) return { rule: name, result: 'passed', detail };
    if (!sufficient || !alternatives.includes(check)) return { rule: name, result: 'failed', detail };
    return { rule: name, result: 'skipped', detail: `${detail} This is not needed, because ${sufficient.rule.name} has passed.` };
  });
  const denied = rules.find(({ result }) => result === 'failed') ?? null;
  const code = denied && all.find((check) => check.rule.name === denied.rule)?.code;
  return { allowed: !denied, rule: denied?.rule ?? null, code: code ?? null, rules };
}
