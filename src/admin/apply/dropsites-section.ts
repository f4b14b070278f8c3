import { OmitType } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import { AccountsService } from '../../modules/accounts/index.js';
import { DropsiteFieldsDto, DropsitesService } from '../../modules/dropsites/index.js';
import { toEnd, UnlessAbsent } from '../../shared/validation/index.js';
import { type ApplyContext, type Draft, IsLine, IsName, ownership, type Problem, type Section } from './section.js';

/** An entry of `dropsites`. */
class DropsiteEntry extends OmitType(DropsiteFieldsDto, ['ownerId'] as const) {
  /** The permanent UUID. Without one, a new dropsite gets a random UUID, and an existing one is found by owner and name. */
  @UnlessAbsent()
  @IsUUID('all')
  link?: string;

  /** The e-mail address of the user who receives the uploads. */
  @IsLine({ min: 1, max: 255 })
  owner: string;

  @IsName()
  name: string;
}

export const dropsitesSection: Section<DropsiteEntry> = {
  entry: DropsiteEntry,
  key: 'link',
  normalize: (link) => link.toLowerCase(),
  /** Many entries have no link; owner and name identify them instead. */
  identify: ({ link, owner, name }) => {
    if (link !== undefined) return { field: 'link', value: link.toLowerCase() };
    return owner === undefined || name === undefined ? undefined : { field: 'name', value: JSON.stringify([owner.toLowerCase(), name]) };
  },
  findProblems,
  declare: declareDropsite,
};

async function findProblems({ path, fields: { link, owner, name } }: Draft<DropsiteEntry>, context: ApplyContext): Promise<Problem[]> {
  if (owner === undefined) return [];
  const user = await context.service.get(AccountsService).findByEmail(owner);
  if (!user && !context.declares('users', owner))
    return [{ path: `${path}.owner`, message: `"${owner}" does not exist; declare it under users` }];
  if (link === undefined || name === undefined) return [];
  const existing = await context.service.get(DropsitesService).findDeclared({ link, ownerId: user?.id ?? 0, name });
  if (!existing || existing.customerId === user?.customerId) return [];
  const holder = await ownership(context.service, existing.customerId, 'leave out the link, and a new dropsite gets its own');
  return [{ path: `${path}.owner`, message: `is not a user of the customer to whom ${link} belongs; dropsites do not move. ${holder}` }];
}

async function declareDropsite({ owner, expiresAt, link, ...entry }: DropsiteEntry, { service, trail }: ApplyContext): Promise<object> {
  const dropsites = service.get(DropsitesService);
  const { id: ownerId, customerId } = await service.get(AccountsService).getByEmail(owner);
  const key = { link: link?.toLowerCase(), ownerId, name: entry.name };
  const before = await dropsites.findDeclared(key);
  const until = toEnd(expiresAt);
  const after = await dropsites.declare({ ...entry, ...key, customerId, expiresAt: until });
  await trail.recordDeclaration(`dropsite:${after.link}`, before, after);
  return { id: after.id, link: after.link, clientId: after.clientId, name: after.name };
}
