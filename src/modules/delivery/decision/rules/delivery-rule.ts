import type { PlayerSettings, SecuritySettings } from '../../../player-configurations/index.js';
import type { Address } from '../addresses.js';
import type { RefererPage } from '../host-names.js';

/** Everything about a viewer and a request that rules look at. */
export interface Viewer {
  /** Null: not known, and in no range. */
  readonly address: Address | null;
  /** The Referer header, or else Origin. */
  readonly referer: string | null;
  /** The page that opened the player from which the request comes, by the admission of the request; null: it carries none. */
  readonly admittedPage?: RefererPage | null;
  /** Whether the request describes or prepares an embedding, so that no page shows it yet. */
  readonly forEmbedding?: boolean;
  /** The Host header as it was sent. */
  readonly host: string;
  /** Whether the viewer is signed in as a user of the customer. */
  readonly userOfCustomer: boolean;
  /** That user, if known by the login session of a browser. No rule looks at it. */
  readonly sessionUserId?: number | null;
  /** The client that the viewer's access token was issued to. */
  readonly tokenClientId: string | null;
  /** The client that the configuration names, if the user of the viewer's login session has authorized it. */
  readonly sessionClientId: string | null;
  /** The access key with which the viewer's external token was made. */
  readonly extAuthAccessKey: string | null;
  /** The requested format; absent: none in particular. */
  readonly formatId?: number | undefined;
  readonly download?: boolean | undefined;
}

/** A format that a configuration delivers. */
export interface DeliveredFormat {
  readonly formatId: number;
  readonly downloadable: boolean;
}

/** The parts of a player configuration that decide about deliveries. */
interface RuleSettings {
  readonly security: SecuritySettings;
  /** `settings`, with older spellings that apply where `securitySettings` lacks the member. */
  readonly deprecated: PlayerSettings;
  readonly formats: readonly DeliveredFormat[];
}

/** An error code of a refusal. */
export interface DenialWords {
  /** For owners and developers, in docs/errors.md and OpenAPI. */
  readonly meaning: string;
  /** For viewers, in place of the player. */
  readonly viewerText: string;
}

/**
 * One rule of delivery, complete: what it reads, when it refuses, and its words for viewers and owners. To add a rule, write a file like this
 * one's siblings and add it to the list in index.ts; decision, explanation, error catalogue and OpenAPI follow.
 */
export interface DeliveryRule<Name extends string = string, Code extends string = string, Setting = unknown> {
  /** Its key in `securitySettings`; the member `rule` of a refusal names it. */
  readonly name: Name;
  /**
   * How it combines with other rules. authentication: of these that are set, one is enough; allow-list: is enough instead of an authentication
   * unless `authOnly`, and has to pass where no authentication is set; required: has to pass in any case.
   */
  readonly combination: 'authentication' | 'allow-list' | 'required';
  /** link: decides about every request for a link; file: only where a request names a format or wants a download. */
  readonly scope: 'link' | 'file';
  /** The codes of its refusals, all 403. */
  readonly denials: Readonly<Record<Code, DenialWords>>;
  /** Prepares what a configuration sets for many decisions. Null: the rule is not set. */
  readSetting(settings: RuleSettings): Setting | null;
  /** The code of the refusal; null: the viewer passes. */
  findDenial(setting: Setting, viewer: Viewer): Code | null;
  /** A sentence for owners about a rule that is not set, or that does not concern the request. */
  readonly notSetText: string;
  /** A sentence for owners on why this viewer passes or not. */
  explain(setting: Setting, viewer: Viewer): string;
}

/** Checks the descriptor of a rule, and keeps its types. */
export const defineRule = <const Name extends string, const Code extends string, Setting>(
  rule: DeliveryRule<Name, Code, Setting>,
): DeliveryRule<Name, Code, Setting> => rule;
