import { Injectable } from '@nestjs/common';

/** Which client applications there are; the oauth module fulfils it. */
export interface OauthClientSource {
  exists(clientId: string): Promise<boolean>;
}

/** Where a configuration's `oauth.clientId` is looked up; the arrow to the oauth module turns round here. */
@Injectable()
export class OauthClientDirectory {
  private source: OauthClientSource | null = null;

  fulfil(source: OauthClientSource): void {
    this.source = source;
  }

  async exists(clientId: string): Promise<boolean> {
    if (!this.source) throw new Error('Nobody told the player configurations which OAuth clients there are.');
    return await this.source.exists(clientId);
  }
}
