import { AccountsService } from '../../modules/accounts/index.js';
import type { Draft } from './draft.js';
import type { Problem } from './problem.js';
import type { Section, Workbench } from './section.js';
import { UserEntry } from './user-entry.js';

export const usersSection: Section<UserEntry> = {
  entry: UserEntry,
  key: 'email',
  normalize: (email) => email.toLowerCase(),
  findProblems,
  declare: declareUser,
};

async function findProblems({ path, fields: { customer, email } }: Draft<UserEntry>, bench: Workbench): Promise<Problem[]> {
  if (customer === undefined) return [];
  const accounts = bench.service.get(AccountsService);
  const stored = await accounts.findCustomer(customer);
  if (!stored && !bench.declares('customers', customer)) {
    return [{ path: `${path}.customer`, message: `"${customer}" does not exist; declare it under customers` }];
  }
  const user = email === undefined ? null : await accounts.findByEmail(email);
  if (!user || user.customerId === stored?.id) return [];
  return [{ path: `${path}.customer`, message: `is not the customer to whom ${email} belongs; users do not move` }];
}

async function declareUser(entry: UserEntry, { service, trail }: Workbench): Promise<object> {
  const accounts = service.get(AccountsService);
  const before = await accounts.findByEmail(entry.email);
  const after = await accounts.declareUser(entry);
  await trail.recordDeclaration(`user:${after.email}`, before, after);
  return { id: after.id, email: after.email };
}
