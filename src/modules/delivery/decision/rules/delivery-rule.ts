import type { AppliedSecurity, DeliveredFormat } from '../../../player-configurations/index.js';
import type { Address } from '../addresses.js';
import type { RefererPage } from '../host-names.js';

/** Everything about a viewer and a request that rules check. */
export interface Viewer {
  /** Null: unknown, and therefore in no range. */
  readonly address: Address | null;
  /** The Referer header, or else Origin. */
  readonly referer: string | null;
  /** The page that opened the player that sends the request, according to the request's admission; null: it has no admission. */
  readonly admittedPage?: RefererPage | null;
  /** Whether the request describes or prepares an embedding, so that the link is not shown in a page yet. */
  readonly forEmbedding?: boolean;
  /** The Host header as it was sent. */
  readonly host: string;
  /** Whether the viewer is signed in as a user of the customer. */
  readonly userOfCustomer: boolean;
  /** That user, if a login session of the browser identifies it. No rule checks it. */
  readonly sessionUserId?: number | null;
  /** The client that the viewer's access token was issued to. */
  readonly tokenClientId: string | null;
  /** The client that the configuration names, if the user of the viewer's login session has authorized it. */
  readonly sessionClientId: string | null;
  /** The access key with which the viewer's external token was issued. */
  readonly extAuthAccessKey: string | null;
  /** The requested format; absent: no particular one. */
  readonly formatId?: number | undefined;
  readonly download?: boolean | undefined;
}

/** The parts of a player configuration that determine deliveries. */
interface RuleSettings extends AppliedSecurity {
  readonly formats: readonly DeliveredFormat[];
}

/** An error code of a refusal. */
export interface DenialWords {
  /** The text for owners and developers, in docs/errors.md and OpenAPI. */
  readonly meaning: string;
  /** The text that viewers see in place of the player. */
  readonly viewerText: string;
}

/**
 * The complete description of one delivery rule: its setting, its condition, and its texts for viewers and owners. To add a rule, write a file like
 * those beside this one and add it to the list in index.ts; decision, explanation, error catalogue and OpenAPI follow from it.
 */
export interface DeliveryRule<Name extends string = string, Code extends string = string, Setting = unknown> {
  /** Its key in `securitySettings`; the member `rule` of a refusal names it. */
  readonly name: Name;
  /**
   * How it combines with other rules. authentication: one of those that are set must pass; allow-list: replaces an authentication unless `authOnly`
   * is set, and must pass if no authentication is set; required: must always pass.
   */
  readonly combination: 'authentication' | 'allow-list' | 'required';
  /** link: applies to every request for a link; file: applies only if a request names a format or is a download. */
  readonly scope: 'link' | 'file';
  /** The codes of its refusals, all 403. */
  readonly denials: Readonly<Record<Code, DenialWords>>;
  /** Prepares the setting of a configuration for many decisions. Null: the rule is not set. */
  readSetting(settings: RuleSettings): Setting | null;
  /** The code of the refusal; null: the viewer passes. */
  findDenial(setting: Setting, viewer: Viewer): Code | null;
  /** A sentence for owners about a rule that is not set, or that does not apply to the request. */
  readonly notSetText: string;
  /** A sentence for owners about why this viewer passes or fails. */
  explain(setting: Setting, viewer: Viewer): string;
}

/** Checks the descriptor of a rule, and keeps its types. */
export const defineRule = <const Name extends string, const Code extends string, Setting>(
  rule: DeliveryRule<Name, Code, Setting>,
): DeliveryRule<Name, Code, Setting> => rule;
