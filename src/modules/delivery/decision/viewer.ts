import type { Address } from './addresses.js';

/** Everything about a viewer and a request that rules look at. */
export interface Viewer {
  /** Null: not known, and in no range. */
  readonly address: Address | null;
  /** The Referer header, or else Origin. */
  readonly referer: string | null;
  /** Whether the player page of this very link sends the request: the page around it was checked when the player page was opened. */
  readonly fromPlayer?: boolean;
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
