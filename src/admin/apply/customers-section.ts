import { PickType } from '@nestjs/swagger';
import { IsBoolean, ValidateBy } from 'class-validator';
import { AccountsService, UpdateCustomerDto } from '../../modules/accounts/index.js';
import { QUOTA_NAMES, type QuotaDeclaration, QuotasService } from '../../shared/quotas/index.js';
import { toEnd, UnlessAbsent } from '../../shared/validation/index.js';
import { type ApplyContext, IsName, isMapping, type Section } from './section.js';

/** Validates the quotas and reports the first wrong member. */
const AreQuotas = (): PropertyDecorator =>
  ValidateBy({
    name: 'areQuotas',
    validator: {
      validate: (value: unknown) => findQuotaProblem(value) === null,
      defaultMessage: (args) => `$property ${findQuotaProblem(args?.value) ?? ''}`,
    },
  });

function findQuotaProblem(value: unknown): string | null {
  if (!isMapping(value)) return 'must be an object with a number for each name';
  const unknown = Object.keys(value).find((name) => !QUOTA_NAMES.some((known) => known === name));
  if (unknown !== undefined) return `there is no quota ${unknown}; there are ${QUOTA_NAMES.join(', ')}`;
  const wrong = Object.entries(value).find(([, limit]) => limit !== null && !(Number.isSafeInteger(limit) && Number(limit) >= 0));
  return wrong ? `${wrong[0]} must be a whole number, 0 or more, or null for the default` : null;
}

/** An entry of `customers`. */
class CustomerEntry extends PickType(UpdateCustomerDto, ['supportAccessUntil', 'requireSecondFactor'] as const) {
  @IsName()
  name: string;

  /** The organisation that runs the service; its users are the support staff. */
  @UnlessAbsent()
  @IsBoolean()
  operator?: boolean;

  /** Quota name to a whole number, or to null to restore the default. Quotas that are left out stay as they are. */
  @UnlessAbsent()
  @AreQuotas()
  quotas?: QuotaDeclaration;
}

export const customersSection: Section<CustomerEntry> = {
  entry: CustomerEntry,
  key: 'name',
  normalize: (name) => name,
  findProblems: async ({ path, fields: { name } }, { service }) => {
    const refusal = name === undefined ? null : await service.get(AccountsService).findNameRefusal(name);
    return refusal ? [{ path: `${path}.name`, message: refusal.detail }] : [];
  },
  declare: declareCustomer,
};

async function declareCustomer(
  { name, operator, supportAccessUntil, requireSecondFactor, quotas: wanted = {} }: CustomerEntry,
  { service, trail }: ApplyContext,
): Promise<object> {
  const accounts = service.get(AccountsService);
  const before = await accounts.findDeclaredCustomer(name);
  const until = toEnd(supportAccessUntil);
  const after = await accounts.declareCustomer({ name, operator, supportAccessUntil: until, requireSecondFactor });
  const quotas = service.get(QuotasService);
  const quotasBefore = await quotas.declared(after.id);
  await quotas.declare(after.id, wanted);
  const quotasAfter = await quotas.declared(after.id);
  await trail.recordDeclaration(
    `customer:${after.id}`,
    before && { ...before, quotas: quotasBefore },
    { ...after, quotas: quotasAfter },
    after.id,
  );
  return { id: after.id, name: after.name };
}
