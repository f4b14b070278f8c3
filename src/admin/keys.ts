import { ServerKeysService } from '../modules/access/index.js';
import { ClientsService } from '../modules/oauth/index.js';
import { Clock } from '../shared/clock.js';
import { StartupError } from '../shared/errors.js';
import { SecretReencryptionService } from '../shared/secrets/index.js';
import type { Call, Work } from './command.js';
import { inTransaction, Trail } from './trail.js';

/** `admin keys rotate`. Running processes sign with the new key immediately and still accept tokens signed with the old one. */
export async function rotateKeys(call: Call): Promise<Work> {
  return inTransaction(call, async (service, trail) => {
    const { signing } = await service.get(ServerKeysService).rotate();
    await trail.record('keys.rotate', `signing-key:${signing}`, null);
    return { signing };
  });
}

/** `admin keys reencrypt`. Exit code 1 if records remain that no known secret can decrypt. */
export async function reencryptSecrets(call: Call): Promise<Work> {
  return async (service) => {
    const done = await service.get(SecretReencryptionService).run();
    await new Trail(service, call).record('keys.reencrypt', `secrets:${done.reencrypted}`, null);
    if (done.unreadable > 0) {
      call.fail(`Unreadable records: ${done.unreadable}. Add the secret that they were made with to APP_SECRET_PREVIOUS and repeat.`);
    }
    return done;
  };
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_OVERLAP_MS = 90 * 86_400_000; // a secret that stays valid for longer has not been rotated

/** `admin clients rotate-secret CLIENT_ID [--keep-old DURATION]`. The new secret is printed once, because only its hash is stored. */
export async function rotateClientSecret(call: Call): Promise<Work> {
  const clientId = call.argument;
  const keepOld = call.options['keep-old'];
  const overlapMs = keepOld === undefined ? null : readDuration(keepOld);
  return inTransaction(call, async (service, trail) => {
    const oldSecretEndsAt = overlapMs === null ? null : new Date(service.get(Clock).now().getTime() + overlapMs);
    const clientSecret = await service.get(ClientsService).rotateSecret(clientId, oldSecretEndsAt);
    const client = await service.get(ClientsService).findStored(clientId);
    await trail.record('client.rotate_secret', `client:${clientId}`, client?.customerId ?? null);
    return { clientId, clientSecret, ...(oldSecretEndsAt === null ? {} : { oldSecretEndsAt }) };
  });
}

/** Parses `90s`, `30m`, `24h` or `7d` to milliseconds. Throws StartupError. */
function readDuration(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const duration = Number(amount) * (UNITS_MS[unit] ?? 0);
  if (duration > 0 && duration <= MAX_OVERLAP_MS) return duration;
  throw new StartupError('--keep-old takes seconds, minutes, hours or days up to 90d, for example 30m, 24h or 7d.');
}
