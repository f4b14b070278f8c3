import { AccountsService } from '../../modules/accounts/index.js';
import { Quotas } from '../../shared/quotas/index.js';
import { CustomerEntry } from './customer-entry.js';
import type { Section, Workbench } from './section.js';

export const customersSection: Section<CustomerEntry> = {
  entry: CustomerEntry,
  key: 'name',
  normalize: (name) => name,
  findProblems: async () => [],
  declare: declareCustomer,
};

async function declareCustomer(
  { name, operator, supportAccessUntil, quotas: wanted = {} }: CustomerEntry,
  { service, trail }: Workbench,
): Promise<object> {
  const accounts = service.get(AccountsService);
  const before = await accounts.findCustomer(name);
  const until = typeof supportAccessUntil === 'string' ? new Date(supportAccessUntil) : supportAccessUntil;
  const after = await accounts.declareCustomer({ name, operator, supportAccessUntil: until });
  const quotas = service.get(Quotas);
  const quotasBefore = await quotas.declared(after.id);
  await quotas.declare(after.id, wanted);
  const quotasAfter = await quotas.declared(after.id);
  await trail.recordDeclaration(`customer:${name}`, before && { ...before, quotas: quotasBefore }, { ...after, quotas: quotasAfter });
  return { id: after.id, name: after.name };
}
