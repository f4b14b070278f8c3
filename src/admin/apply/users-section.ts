import { PickType } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import { AccountsService, AdministratorsService, isAdministrator, UserFieldsDto } from '../../modules/accounts/index.js';
import { canonicalEmail, IsUserAddress } from '../../shared/email-address.js';
import { UnlessAbsent } from '../../shared/validation/index.js';
import { MAX_PASSWORD_LENGTH, PASSWORD } from '../users.js';
import { type ApplyContext, type Draft, IsLine, IsName, ownership, type Problem, type Section } from './section.js';

/** An entry of `users`. */
class UserEntry extends PickType(UserFieldsDto, ['adminLevel', 'requireSecondFactor'] as const) {
  /** Addresses without a dot in the domain (root@localhost) are allowed, because they occur in private networks. */
  @IsUserAddress()
  email: string;

  /** The name of the customer. */
  @IsName()
  customer: string;

  @IsLine({ min: 0, max: 255 })
  firstname: string;

  @IsLine({ min: 0, max: 255 })
  lastname: string;

  /** A user without a password cannot sign in by password. */
  @UnlessAbsent()
  @MaxLength(MAX_PASSWORD_LENGTH)
  @Matches(PASSWORD, { message: '$property must be one line of text and not empty' })
  @IsString()
  password?: string;
}

export const usersSection: Section<UserEntry> = {
  entry: UserEntry,
  key: 'email',
  normalize: canonicalEmail,
  findProblems,
  declare: declareUser,
};

async function findProblems({ path, fields: { customer, email } }: Draft<UserEntry>, context: ApplyContext): Promise<Problem[]> {
  if (customer === undefined) return [];
  const accounts = context.service.get(AccountsService);
  const stored = await accounts.findDeclaredCustomer(customer);
  if (!stored && !context.declares('customers', customer)) {
    return [{ path: `${path}.customer`, message: `"${customer}" does not exist; declare it under customers` }];
  }
  const user = email === undefined ? null : await accounts.findByEmail(email);
  if (!user || user.customerId === stored?.id) return [];
  const owner = await ownership(context.service, user.customerId, `use another address, or "users remove ${user.id} --yes"`);
  return [{ path: `${path}.customer`, message: `is not the customer to whom ${email} belongs; users do not move. ${owner}` }];
}

/** The last administrator of a customer may lose the level if another entry gives it to another user, so this is checked at the end. */
async function declareUser(entry: UserEntry, { service, trail, checkAtEnd }: ApplyContext): Promise<object> {
  const accounts = service.get(AccountsService);
  const administrators = service.get(AdministratorsService);
  const before = await accounts.findByEmail(entry.email);
  if (before && isAdministrator(before)) await administrators.lock(before.customerId);
  const after = await accounts.declareUser(entry);
  if (before && !isAdministrator(after)) checkAtEnd(async () => await administrators.checkMayGo(before));
  await trail.recordDeclaration(`user:${after.id}`, before, after);
  return { id: after.id, email: after.email };
}
