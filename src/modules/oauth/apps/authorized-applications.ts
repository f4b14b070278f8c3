import type { Authorization } from '../../access/index.js';
import type { ClientsService } from '../clients/clients.service.js';

/** An authorization together with what the client registry knows: the specification's Authorized application. */
export type AuthorizedApplication = Omit<Authorization, 'grantId' | 'userId' | 'generation' | 'scope' | 'resources' | 'legacyResource'> & {
  readonly name: string;
  readonly type: string;
  readonly scope: string;
};

export async function authorizedApplications(clients: ClientsService, found: readonly Authorization[]): Promise<AuthorizedApplication[]> {
  return await Promise.all(
    found.map(async (authorization) => {
      const client = await clients.find(authorization.clientId);
      return { ...authorization, name: client?.name ?? authorization.clientId, type: client?.type ?? 'web' };
    }),
  );
}
