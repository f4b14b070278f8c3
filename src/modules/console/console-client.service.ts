import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../shared/config/index.js';
import { ClientsService } from '../oauth/index.js';
import { hasConsole } from './console-build.js';

const CLIENT_ID = 'console';

/** Registers the console as a public first-party client at each start, unless it is registered already. */
@Injectable()
export class ConsoleClientService implements OnApplicationBootstrap {
  constructor(
    private readonly config: Config,
    private readonly clients: ClientsService,
  ) {}

  /** An operator may declare the client otherwise, for an own console; only the address of this installation is added to it. */
  async onApplicationBootstrap(): Promise<void> {
    if (!hasConsole(this.config)) return;
    const redirectUri = `${this.config.publicUrl}/console/`;
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
