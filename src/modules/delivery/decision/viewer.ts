import type { Address } from './parse-address.js';

/** Everything about a viewer and a wish that rules look at. */
export interface Viewer {
  /** Null: it is not known, and in no range. */
  readonly address: Address | null;
  /** The Referer header, else Origin. */
  readonly referer: string | null;
  /** Whether the player page of this very link asks: the page around it was judged when it was opened. */
  readonly fromPlayer?: boolean;
  /** The Host header as it was sent. */
  readonly host: string;
  /** Whether a user of the customer is signed in. */
  readonly userOfCustomer: boolean;
  /** That user, if it is the login session of a browser that says so. No rule looks at it. */
  readonly sessionUserId?: number | null;
  /** The client that the viewer's access token was issued to. */
  readonly tokenClientId: string | null;
  /** The client that asks for it by the policy, if the user of the viewer's login session has authorized it. */
  readonly sessionClientId: string | null;
  /** The access key by which the viewer's external token was made. */
  readonly extAuthAccessKey: string | null;
  /** The format that is wanted; absent: none in particular. */
  readonly formatId?: number | undefined;
  readonly download?: boolean | undefined;
}
