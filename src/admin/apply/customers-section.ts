import { IsBoolean, IsISO8601, Matches, ValidateBy } from 'class-validator';
import { AccountsService } from '../../modules/accounts/index.js';
import { QUOTA_NAMES, type QuotaDeclaration, QuotasService } from '../../shared/quotas/index.js';
import { toEnd, UnlessAbsent, UnlessNull } from '../../shared/validation/index.js';
import { IsName, isMapping, type Section, type Workbench } from './section.js';

/** Validates the quotas and reports the first wrong member. */
const AreQuotas = (): PropertyDecorator =>
  ValidateBy({
    name: 'areQuotas',
    validator: {
      validate: (value: unknown) => findQuotaProblem(value) === null,
      defaultMessage: (args) => findQuotaProblem(args?.value) ?? '',
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
class CustomerEntry {
  @IsName()
  name: string;

  /** The organisation that runs the service; its users are the support staff. */
  @UnlessAbsent()
  @IsBoolean({ message: 'must be true or false' })
  operator?: boolean;

  /** ISO 8601; a date without a time means 00:00 UTC. null ends the support access. */
  @UnlessNull()
  @IsISO8601({ strict: true }, { message: 'must be a date that exists, or null' })
  @Matches(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/, {
    message: 'must be a date and time with an offset (2030-01-31T18:00:00Z), a date (2030-01-31) or null',
  })
  supportAccessUntil?: string | null;

  /** Whether every person of the customer needs a second factor to sign in with a password. */
  @UnlessAbsent()
  @IsBoolean({ message: 'must be true or false' })
  requireSecondFactor?: boolean;

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
  { service, trail }: Workbench,
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
