import { SecretReencryption } from '../shared/secrets/index.js';
import type { Call, Work } from './command.js';
import { Trail } from './trail.js';

/** `admin keys reencrypt`. Exit code 1 when records remain that no known secret opens. */
export async function reencryptSecrets(call: Call): Promise<Work> {
  return async (service) => {
    const done = await service.get(SecretReencryption).run();
    await new Trail(service, call).record('keys.reencrypt', `secrets:${done.reencrypted}`);
    if (done.unreadable > 0) {
      call.fail(`Unreadable records: ${done.unreadable}. Add the secret that they were made with to APP_SECRET_PREVIOUS and repeat.`);
    }
    return done;
  };
}
