import type { BandwidthRule, PlayerSettings, SecuritySettings } from '../../player-configurations/index.js';
import { CidrTable } from './addresses.js';
import type { DeliveredFormat, DeliveryRule } from './rules/delivery-rule.js';
import { deliveryRules, type RuleSettingsByName } from './rules/index.js';

/** What protects a configuration, prepared for many decisions. */
export interface CompiledPolicy {
  readonly rules: readonly DeliveryRule[];
  readonly settings: RuleSettingsByName;
  /** Whether the allow-list is not enough instead of an authentication. */
  readonly authOnly: boolean;
  readonly bandwidthControl: CidrTable<BandwidthRule>;
}

/** The parts of a player configuration that decide about deliveries. */
export interface ProtectedConfiguration {
  readonly securitySettings: SecuritySettings | null;
  readonly settings: PlayerSettings | null;
  readonly formats: readonly DeliveredFormat[];
}

/** Each rule reads `securitySettings`, or the deprecated `settings` where that lacks its key. */
export function compilePolicy(
  { securitySettings, settings, formats }: ProtectedConfiguration,
  rules: readonly DeliveryRule[] = deliveryRules,
): CompiledPolicy {
  const [security, deprecated] = [securitySettings ?? {}, settings ?? {}];
  const read = rules.map((rule) => [rule.name, rule.readSetting({ security, deprecated, formats })]);
  return {
    rules,
    settings: Object.fromEntries(read) as RuleSettingsByName,
    authOnly: (security.authOnly ?? deprecated.authOnly) === true,
    bandwidthControl: new CidrTable((security.bandwidthControl ?? []).map((rule) => ({ cidr: rule.cidr, value: rule }))),
  };
}
