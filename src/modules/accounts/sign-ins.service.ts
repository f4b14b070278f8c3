import { Injectable } from '@nestjs/common';
import type { RowCounts } from '../../shared/removal/index.js';

/** What the sign-ins of a user have created: sessions, codes, tokens and authorizations. */
export interface SignInSource {
  /** The number of each, by name; kinds without any are left out. */
  count(userId: number): Promise<RowCounts>;
  end(userId: number): Promise<void>;
}

/** The module that signs users in registers itself here, so that accounts can end the sign-ins that it stores. */
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
