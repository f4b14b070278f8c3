import { Injectable } from '@nestjs/common';
import { Config } from '../../shared/config/index.js';
import { Database } from '../../shared/database/index.js';
import { ClientsService } from '../oauth/index.js';
import { hasConsole } from './console-build.js';

const CLIENT_ID = 'console';

/** Registers the console as a public first-party client when the service starts, unless it is registered already. */
@Injectable()
export class ConsoleClientService {
  constructor(
    private readonly config: Config,
    private readonly clients: ClientsService,
    private readonly database: Database,
  ) {}

  /**
   * An operator may declare the client otherwise, for an own console; only the address of this installation is added to it.
   * @throws DomainError 409 `client_id_taken` if a customer has a client with this id: it must not become the console of everyone
   */
  async declare(): Promise<void> {
    if (!hasConsole(this.config)) return;
    await this.database.transaction(async () => {
      await this.database.lock(`client ${CLIENT_ID}`); // several services may start at the same time
      await this.declareLocked(`${this.config.publicUrl}/console/`);
    });
  }

  private async declareLocked(redirectUri: string): Promise<void> {
    const existing = await this.clients.findStored(CLIENT_ID);
    if (existing?.customerId === null && existing.redirectUris.includes(redirectUri)) return;
    await this.clients.declareOwn({
      clientId: CLIENT_ID,
      name: existing?.name ?? 'Console',
      type: existing?.type ?? 'web',
      redirectUris: [...(existing?.redirectUris ?? []), redirectUri],
      postLogoutRedirectUris: [...(existing?.postLogoutRedirectUris ?? []), redirectUri],
      firstParty: true,
      confidential: false,
      requirePkce: true,
    });
  }
}
