import type { PlayerSettingsDto } from './player-settings.dto.js';
import type { BandwidthRuleDto, SecuritySettingsDto } from './security-settings.dto.js';

/** What is stored of an input: a member that was sent as null is absent (applyChanges). */
type Stored<Input> = Input extends readonly (infer Element)[]
  ? readonly Stored<Element>[]
  : Input extends object
    ? { readonly [Name in keyof Input]: Stored<Exclude<Input[Name], null>> }
    : Input;

/** What protects the links of a configuration (specification, securitySettings; contract section 7). */
export type SecuritySettings = Partial<Omit<Stored<SecuritySettingsDto>, 'oauth'>> & Pick<PlayerSettings, 'oauth'>;

/** How links look, and the deprecated spellings of what protects them (specification, settings). */
export type PlayerSettings = Stored<PlayerSettingsDto>;

/** A list of address ranges in any of its spellings. */
export type IpWhiteList = NonNullable<SecuritySettings['ipWhiteList']>;

/** A limit for the viewers of one range of addresses. */
export type BandwidthRule = Stored<BandwidthRuleDto>;
