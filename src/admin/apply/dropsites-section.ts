import { AccountsService } from '../../modules/accounts/index.js';
import { DropsitesService } from '../../modules/dropsites/index.js';
import type { Draft } from './draft.js';
import { DropsiteEntry } from './dropsite-entry.js';
import type { Problem } from './problem.js';
import type { Section, Workbench } from './section.js';

export const dropsitesSection: Section<DropsiteEntry> = {
  entry: DropsiteEntry,
  key: 'link',
  normalize: (link) => link.toLowerCase(),
  /** Many have no link in the file: owner and name stand for it. */
  identify: ({ link, owner, name }) => {
    if (link !== undefined) return { field: 'link', value: link.toLowerCase() };
    return owner === undefined || name === undefined ? undefined : { field: 'name', value: JSON.stringify([owner.toLowerCase(), name]) };
  },
  findProblems,
  declare: declareDropsite,
};

async function findProblems({ path, fields: { link, owner, name } }: Draft<DropsiteEntry>, bench: Workbench): Promise<Problem[]> {
  if (owner === undefined) return [];
  const user = await bench.service.get(AccountsService).findByEmail(owner);
  if (!user && !bench.declares('users', owner))
    return [{ path: `${path}.owner`, message: `"${owner}" does not exist; declare it under users` }];
  if (link === undefined || name === undefined) return [];
  const existing = await bench.service.get(DropsitesService).findDeclared({ link, ownerId: user?.id ?? 0, name });
  if (!existing || existing.customerId === user?.customerId) return [];
  return [{ path: `${path}.owner`, message: `is not a user of the customer to whom ${link} belongs; dropsites do not move` }];
}

async function declareDropsite({ owner, expiresAt, link, ...entry }: DropsiteEntry, { service, trail }: Workbench): Promise<object> {
  const dropsites = service.get(DropsitesService);
  const { id: ownerId, customerId } = await service.get(AccountsService).getByEmail(owner);
  const key = { link: link?.toLowerCase(), ownerId, name: entry.name };
  const before = await dropsites.findDeclared(key);
  const until = typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt;
  const after = await dropsites.declare({ ...entry, ...key, customerId, expiresAt: until });
  await trail.recordDeclaration(`dropsite:${after.link}`, before, after);
  return { id: after.id, link: after.link, clientId: after.clientId, name: after.name };
}
