import { ClientsService } from '../modules/oauth/index.js';
import { Database } from '../shared/database/index.js';
import type { Call, Work } from './command.js';
import { Trail } from './trail.js';

/** `admin clients rotate-secret CLIENT_ID`. The new secret is shown this once: only its hash is stored. */
export async function rotateClientSecret(call: Call): Promise<Work> {
  const clientId = call.argument;
  return async (service) =>
    await service.get(Database).transaction(async () => {
      const clientSecret = await service.get(ClientsService).rotateSecret(clientId);
      await new Trail(service, call).record('client.rotate_secret', `client:${clientId}`);
      return { clientId, clientSecret };
    });
}
