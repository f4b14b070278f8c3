import { randomBytes } from 'node:crypto';
import { AccountsService } from '../../modules/accounts/index.js';
import { Database } from '../../shared/database/index.js';
import type { Call, Work } from '../command.js';
import { Trail } from '../trail.js';
import { readNewPassword } from './read-new-password.js';

/** `admin users set-password EMAIL`. Never from an argument: every user of the machine can read those. Sessions and tokens stay. */
export async function setPassword(call: Call): Promise<Work> {
  const generated = call.options.generate ? randomBytes(18).toString('base64url') : undefined;
  const password = generated ?? (await readNewPassword(call.stdin));
  return async (service) =>
    await service.get(Database).transaction(async () => {
      const { id, email } = await service.get(AccountsService).setPassword(call.argument, password);
      await new Trail(service, call).record('user.set_password', `user:${email}`);
      return { id, email, ...(generated === undefined ? {} : { password: generated }) };
    });
}
