import type { CompiledPolicy } from './compile-policy.js';
import { applyRules } from './decide-delivery.js';
import type { DenialCode, RuleName } from './rules/index.js';
import type { Viewer } from './viewer.js';

export interface RuleOutcome {
  readonly rule: RuleName;
  /** skipped: the rule is not set, does not concern the request, or is not needed because an alternative has passed. */
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

/** The decision, with the part of each rule in it: a viewer is allowed if no rule has failed, and denied by the first that has. */
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
