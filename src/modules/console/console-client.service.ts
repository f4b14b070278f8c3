import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../shared/config/index.js';
import { Database } from '../../shared/database/index.js';
import { ClientsService } from '../oauth/index.js';
import { hasConsole } from './console-build.js';

const CLIENT_ID = 'console';

/** Registers the console as a public first-party client at each start, unless it is registered already. */
@Injectable()
export class ConsoleClientService implements OnApplicationBootstrap {
  constructor(
    private readonly config: Config,
    private readonly clients: ClientsService,
    private readonly database: Database,
  ) {}

  /** An operator may declare the client otherwise, for an own console; only the address of this installation is added to it. */
  async onApplicationBootstrap(): Promise<void> {
    if (!hasConsole(this.config)) return;
    await this.database.transaction(async () => {
      await this.database.lock(`client ${CLIENT_ID}`); // several processes may start at the same time
      await this.declare(`${this.config.publicUrl}/console/`);
    });
  }

  private async declare(redirectUri: string): Promise<void> {
    const existing = await this.clients.findStored(CLIENT_ID);
    if (existing?.redirectUris.includes(redirectUri)) return;
    await this.clients.declare({
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
