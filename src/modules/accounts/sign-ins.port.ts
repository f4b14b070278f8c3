import type { RowCounts } from '../../shared/removal/index.js';

/** Sign-ins that go on: the public names of sessions, and the ids of authorizations. */
export interface KeptSignIns {
  readonly sessions: readonly string[];
  readonly authorizations: readonly number[];
}

/** Counts and ends what the sign-ins of a user have created: sessions, codes, tokens and authorizations. */
export abstract class SignIns {
  /** Returns the number of each kind by name; kinds without any are omitted. */
  abstract count(userId: number): Promise<RowCounts>;
  /** Ends all sign-ins and consents of a user except `kept`; the user then has to sign in and consent again everywhere else. */
  abstract end(userId: number, kept?: KeptSignIns): Promise<void>;
  /** Signs the user out of every browser except `except`, the public name of a session; applications keep their access. */
  abstract endSessions(userId: number, except: string | null): Promise<void>;
}
