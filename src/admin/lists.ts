import type { INestApplicationContext } from '@nestjs/common';
import { AuthorizationsService } from '../modules/access/index.js';
import { AccessKeysService, AccountsService } from '../modules/accounts/index.js';
import { MediaItemsRepository } from '../modules/media/index.js';
import { ClientsService } from '../modules/oauth/index.js';
import { StartupError } from '../shared/errors.js';
import type { Call, Work } from './command.js';

const KINDS = ['person', 'service', 'sender'] as const;

/** `admin users list`: one line for each user; reads them in pages, because there may be many. */
export async function listUsers({ options }: Call): Promise<Work> {
  const kinds = options.kind === undefined ? KINDS.filter((kind) => kind !== 'sender') : KINDS.filter((kind) => kind === options.kind);
  if (kinds.length === 0) throw new StartupError(`--kind must be one of ${KINDS.join(', ')}.`);
  return async (service) => {
    const accounts = service.get(AccountsService);
    const customer = options.customer === undefined ? undefined : await accounts.getCustomer(options.customer);
    return users(accounts, { kinds, customerId: customer?.id });
  };
}

async function* users(accounts: AccountsService, which: Parameters<AccountsService['list']>[0]): AsyncGenerator<object> {
  for await (const user of accounts.list(which)) {
    const { id, email, kind, firstname, lastname, customerId, adminLevel, disabledAt, createdAt } = user;
    yield { id, email, kind, firstname, lastname, customerId, adminLevel, disabledAt, createdAt };
  }
}

/** `admin customers list`. */
export async function listCustomers(): Promise<Work> {
  return async (service) => customers(service);
}

async function* customers(service: INestApplicationContext): AsyncGenerator<object> {
  const items = service.get(MediaItemsRepository);
  for await (const { id, name, operator, supportAccessUntil, users, createdAt } of service.get(AccountsService).listCustomers()) {
    yield { id, name, operator, supportAccessUntil, users, storage: await items.sum(id), createdAt };
  }
}

/** `admin clients list`: each client without its secret hashes, and with the number of users who have authorized it. */
export async function listClients(): Promise<Work> {
  return async (service) => clients(service);
}

async function* clients(service: INestApplicationContext): AsyncGenerator<object> {
  const users = await service.get(AuthorizationsService).countUsersByClient();
  for (const client of await service.get(ClientsService).list()) {
    const {
      id,
      clientId,
      name,
      type,
      redirectUris,
      postLogoutRedirectUris,
      grantTypes,
      secretHash,
      firstParty,
      requirePkce,
      serviceUserId,
      createdAt,
    } = client;
    const rights = { confidential: secretHash !== null, firstParty, requirePkce, serviceUserId };
    yield {
      id,
      clientId,
      name,
      type,
      redirectUris,
      postLogoutRedirectUris,
      grantTypes,
      ...rights,
      users: users.get(clientId) ?? 0,
      createdAt,
    };
  }
}

/** `admin access-keys list [--customer NAME]`: each access key without its secret, and the user on whose behalf it acts. */
export async function listAccessKeys({ options }: Call): Promise<Work> {
  return async (service) => {
    const { customer } = options;
    const customerId = customer === undefined ? undefined : (await service.get(AccountsService).getCustomer(customer)).id;
    return accessKeys(service, customerId);
  };
}

async function* accessKeys(service: INestApplicationContext, customerId: number | undefined): AsyncGenerator<object> {
  yield* await service.get(AccessKeysService).list({ reach: { customerId, withCommon: true } });
}
