import { AccountsService } from '../modules/accounts/index.js';
import { StartupError } from '../shared/errors.js';
import type { Call, Work } from './command.js';
import { inTransaction } from './trail.js';

/** `admin customers rename NAME --to NAME`: the operator's own name for a customer, also for one that renamed itself. */
export async function renameCustomer(call: Call): Promise<Work> {
  const { argument, options } = call;
  const name = options.to?.trim();
  if (!name || name.length > 255 || /\p{Cc}/u.test(name)) throw new StartupError('--to must be a name of 1 to 255 characters on one line.');
  return inTransaction(call, async (service, trail) => {
    const accounts = service.get(AccountsService);
    const { id } = await accounts.getCustomer(argument);
    const customer = await accounts.renameCustomer(id, name);
    await trail.record('customer.set_name', `customer:${id}`, id);
    return { id, name: customer.name };
  });
}
