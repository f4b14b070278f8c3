import { AccountsService } from '../../modules/accounts/index.js';
import { CustomerEntry } from './customer-entry.js';
import type { Section, Workbench } from './section.js';

export const customersSection: Section<CustomerEntry> = {
  entry: CustomerEntry,
  key: 'name',
  normalize: (name) => name,
  findProblems: async () => [],
  declare: declareCustomer,
};

async function declareCustomer({ name, operator, supportAccessUntil }: CustomerEntry, { service, trail }: Workbench): Promise<object> {
  const accounts = service.get(AccountsService);
  const before = await accounts.findCustomer(name);
  const until = typeof supportAccessUntil === 'string' ? new Date(supportAccessUntil) : supportAccessUntil;
  const after = await accounts.declareCustomer({ name, operator, supportAccessUntil: until });
  await trail.recordDeclaration(`customer:${name}`, before, after);
  return { id: after.id, name: after.name };
}
