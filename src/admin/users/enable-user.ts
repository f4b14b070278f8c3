import { AccountsService } from '../../modules/accounts/index.js';
import { Database } from '../../shared/database/index.js';
import type { Call, Work } from '../command.js';
import { Trail } from '../trail.js';

/** `admin users enable EMAIL`. Sessions and tokens that have not expired meanwhile count again. */
export async function enableUser(call: Call): Promise<Work> {
  return async (service) =>
    await service.get(Database).transaction(async () => {
      const accounts = service.get(AccountsService);
      const before = await accounts.getByEmail(call.argument);
      const { id, email, disabledAt } = await accounts.enable(before.email);
      if (before.disabledAt) await new Trail(service, call).record('user.enable', `user:${email}`);
      return { id, email, disabledAt };
    });
}
