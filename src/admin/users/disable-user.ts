import { AccountsService } from '../../modules/accounts/index.js';
import { Database } from '../../shared/database/index.js';
import { Clock } from '../../shared/time/index.js';
import type { Call, Work } from '../command.js';
import { Trail } from '../trail.js';

/** `admin users disable EMAIL`. Who is disabled already stays so, since when they were. */
export async function disableUser(call: Call): Promise<Work> {
  return async (service) =>
    await service.get(Database).transaction(async () => {
      const accounts = service.get(AccountsService);
      const before = await accounts.getByEmail(call.argument);
      const { id, email, disabledAt } = await accounts.disable(before.email, service.get(Clock).now());
      if (!before.disabledAt) await new Trail(service, call).record('user.disable', `user:${email}`);
      return { id, email, disabledAt };
    });
}
