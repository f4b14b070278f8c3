import { Injectable } from '@nestjs/common';

/** Which client applications there are; the oauth module fulfils it. */
export interface ClientSource {
  exists(clientId: string): Promise<boolean>;
}

/** Where others look up whether a client application exists; the arrow to the oauth module turns round here. */
@Injectable()
export class ClientDirectory {
  private source: ClientSource | null = null;

  fulfil(source: ClientSource): void {
    this.source = source;
  }

  async exists(clientId: string): Promise<boolean> {
    if (!this.source) throw new Error('Nobody told which client applications there are.');
    return await this.source.exists(clientId);
  }
}
