import { Injectable } from '@nestjs/common';
import type { RowCounts } from '../../shared/removal/index.js';

/** Sign-ins that go on: the public names of sessions, and the ids of authorizations. */
export interface KeptSignIns {
  readonly sessions: readonly string[];
  readonly authorizations: readonly number[];
}

const NOTHING_KEPT: KeptSignIns = { sessions: [], authorizations: [] };

/** Counts and ends what the sign-ins of a user have created: sessions, codes, tokens and authorizations. */
export interface SignInSource {
  /** Returns the number of each kind by name; kinds without any are omitted. */
  count(userId: number): Promise<RowCounts>;
  /** Ends everything except what `kept` names. */
  end(userId: number, kept: KeptSignIns): Promise<void>;
  /** Ends the sessions of browsers, except the one with this public name; applications keep their access. */
  endSessions(userId: number, except: string | null): Promise<void>;
}

/** The module that signs users in registers itself here, so that accounts can end the sign-ins that it stores. */
@Injectable()
export class SignInsService implements SignInSource {
  private source: SignInSource | null = null;

  /** Registers the source; must be called before the application starts. */
  register(source: SignInSource): void {
    this.source = source;
  }

  async count(userId: number): Promise<RowCounts> {
    return (await this.source?.count(userId)) ?? {};
  }

  /** Ends all sign-ins and consents of a user except `kept`; the user then has to sign in and consent again everywhere else. */
  async end(userId: number, kept: KeptSignIns = NOTHING_KEPT): Promise<void> {
    await this.source?.end(userId, kept);
  }

  /** Signs the user out of every browser except `except`, the public name of a session; applications keep their access. */
  async endSessions(userId: number, except: string | null): Promise<void> {
    await this.source?.endSessions(userId, except);
  }
}
