import type { Caller } from '../../shared/auth/index.js';

/** Who comes to a dropsite. */
export interface Visitor {
  /** A session of a sender, a user, or nobody known. */
  readonly caller: Caller | null;
  /** The header `clientid`. */
  readonly clientId: string | null;
  /** The network for which guesses of a password are counted. */
  readonly network: string;
}
