import type { BandwidthRule } from '../../player-configurations/index.js';
import type { CompiledPolicy } from '../decision/compile-policy.js';
import type { Viewer } from '../decision/viewer.js';

/** What limits a viewer: of each kind the rule with the narrowest range around its address; null: none. */
export interface DeliveryLimits {
  /** Plays at the same time. */
  readonly parallel: BandwidthRule | null;
  /** kbit/s. */
  readonly bandwidth: BandwidthRule | null;
}

export function limitsOf({ bandwidthControl }: CompiledPolicy, { address }: Pick<Viewer, 'address'>): DeliveryLimits {
  const rules = address ? bandwidthControl.matching(address) : [];
  const narrowest = (type: BandwidthRule['type']) => rules.find((rule) => rule.type === type) ?? null;
  return { parallel: narrowest('parallel'), bandwidth: narrowest('bandwidth') };
}
