import type { INestApplicationContext } from '@nestjs/common';
import { AccountsService, type Customer, CustomerRemovalService } from '../modules/accounts/index.js';
import { MediaRemovalService } from '../modules/media/index.js';
import { ClientsService } from '../modules/oauth/index.js';
import { DomainError, StartupError } from '../shared/errors.js';
import type { Call, Work } from './command.js';
import { Trail } from './trail.js';

/** `admin customers remove NAME [--with-media] [--yes]`. Repeating the command continues an interrupted removal. */
export async function removeCustomer(call: Call): Promise<Work> {
  const { yes = false, 'with-media': withMedia = false } = call.options;
  return async (service) => {
    const customer = await service.get(AccountsService).getCustomer(call.argument);
    const removal = service.get(CustomerRemovalService);
    const removes = await removal.inspect(customer);
    const refused = await findRefusal(service, customer, { media: withMedia ? 0 : (removes.media_containers ?? 0) });
    if (yes && refused !== null) throw new StartupError(refused);
    if (yes) {
      const { record } = new Trail(service, call);
      await removal.close(customer, record);
      await service.get(MediaRemovalService).removeOfCustomer(customer.id);
      await removal.delete(customer, record);
    }
    return {
      dryRun: !yes,
      customer: { id: customer.id, name: customer.name },
      ...(refused !== null && { refused }),
      removes: { customers: 1, ...removes },
      kept: [
        { what: 'audit records', why: 'they show who did what, and name people and customers by id' },
        { what: 'client applications of the operator', why: 'they belong to the whole service: clients remove deletes them' },
        { what: 'uploads in progress', why: 'their credentials expire within 12 hours; uploads reconcile finds what still arrives' },
      ],
    };
  };
}

async function findRefusal(service: INestApplicationContext, customer: Customer, { media }: { media: number }): Promise<string | null> {
  try {
    service.get(CustomerRemovalService).checkMayGo(customer);
  } catch (error) {
    if (error instanceof DomainError) return error.detail;
    throw error;
  }
  const clients = await findActingClients(service, customer);
  if (clients.length > 0)
    return `Client applications act as users of the customer: ${clients.join(', ')}. Remove them, or give them another serviceUser.`;
  return media > 0 ? `The customer has ${media} media containers; --with-media removes them with their files.` : null;
}

async function findActingClients(service: INestApplicationContext, { id }: Customer): Promise<string[]> {
  const others = (await service.get(ClientsService).list()).filter(({ customerId }) => customerId !== id); // its own go with it
  const acting = others.filter(({ serviceUserId }) => serviceUserId !== null);
  const users = await Promise.all(acting.map(async ({ serviceUserId }) => await service.get(AccountsService).findById(serviceUserId ?? 0)));
  return acting.filter((_, index) => users[index]?.customerId === id).map(({ clientId }) => clientId);
}
