import { ClientsService } from '../modules/oauth/index.js';
import { Database } from '../shared/database/index.js';
import { StartupError } from '../shared/errors/index.js';
import { Clock } from '../shared/time/index.js';
import type { Call, Work } from './command.js';
import { Trail } from './trail.js';

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_OVERLAP_MS = 90 * 86_400_000; // an old secret that lives longer was not rotated

/** `admin clients rotate-secret CLIENT_ID [--keep-old DURATION]`. The new secret is shown this once: only its hash is stored. */
export async function rotateClientSecret(call: Call): Promise<Work> {
  const clientId = call.argument;
  const keepOld = call.options['keep-old'];
  const overlapMs = keepOld === undefined ? null : readDuration(keepOld);
  return async (service) =>
    await service.get(Database).transaction(async () => {
      const oldSecretEndsAt = overlapMs === null ? null : new Date(service.get(Clock).now().getTime() + overlapMs);
      const clientSecret = await service.get(ClientsService).rotateSecret(clientId, oldSecretEndsAt);
      await new Trail(service, call).record('client.rotate_secret', `client:${clientId}`);
      return { clientId, clientSecret, ...(oldSecretEndsAt === null ? {} : { oldSecretEndsAt }) };
    });
}

/** Milliseconds of `90s`, `30m`, `24h` or `7d`. Throws StartupError. */
function readDuration(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const duration = Number(amount) * (UNITS_MS[unit] ?? 0);
  if (duration > 0 && duration <= MAX_OVERLAP_MS) return duration;
  throw new StartupError('--keep-old takes seconds, minutes, hours or days up to 90d, for example 30m, 24h or 7d.');
}
