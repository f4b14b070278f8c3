import { Injectable } from '@nestjs/common';

/** The registered client applications, as far as the kernel and other modules need them. */
export interface ClientSource {
  exists(clientId: string): Promise<boolean>;
  /** Whether one of a client's redirect URIs has this origin. */
  isRegisteredOrigin(origin: string): Promise<boolean>;
}

/** Gives access to the registered clients for code that the oauth module itself imports; the oauth module registers the source here. */
@Injectable()
export class ClientDirectory implements ClientSource {
  private source: ClientSource | null = null;

  register(source: ClientSource): void {
    this.source = source;
  }

  async exists(clientId: string): Promise<boolean> {
    return await this.registered().exists(clientId);
  }

  async isRegisteredOrigin(origin: string): Promise<boolean> {
    return await this.registered().isRegisteredOrigin(origin);
  }

  private registered(): ClientSource {
    if (!this.source) throw new Error('The oauth module has not registered its clients.');
    return this.source;
  }
}
