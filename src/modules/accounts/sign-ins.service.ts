import { Injectable } from '@nestjs/common';
import type { RowCounts } from '../../shared/removal/index.js';

/** What signing in has left of a user: sessions, codes, tokens and authorizations. */
export interface SignInSource {
  /** How many of each, by name; without those of which there are none. */
  count(userId: number): Promise<RowCounts>;
  end(userId: number): Promise<void>;
}

/** Where the module that signs users in registers itself, so that accounts can end what it keeps. */
@Injectable()
export class SignInsService implements SignInSource {
  private source: SignInSource | null = null;

  /** Register before the application starts. */
  register(source: SignInSource): void {
    this.source = source;
  }

  async count(userId: number): Promise<RowCounts> {
    return (await this.source?.count(userId)) ?? {};
  }

  /** From now on the user has to sign in and to consent again, everywhere. */
  async end(userId: number): Promise<void> {
    await this.source?.end(userId);
  }
}
