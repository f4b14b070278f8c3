import { ServerKeysService } from '../modules/access/index.js';
import { Database } from '../shared/database/index.js';
import type { Call, Work } from './command.js';
import { Trail } from './trail.js';

/** `admin keys rotate`. Running processes sign with the new key at once and go on accepting what the old one signed. */
export async function rotateKeys(call: Call): Promise<Work> {
  return async (service) =>
    await service.get(Database).transaction(async () => {
      const { signing } = await service.get(ServerKeysService).rotate();
      await new Trail(service, call).record('keys.rotate', `signing-key:${signing}`);
      return { signing };
    });
}
