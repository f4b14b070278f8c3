import { IsBoolean, IsInt, IsISO8601, IsString, IsUUID, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';
import { AccountsService } from '../../modules/accounts/index.js';
import { DropsitesService } from '../../modules/dropsites/index.js';
import { MEDIA_TYPES, type MediaType } from '../../modules/media/index.js';
import { MAX_ID, toEnd, UnlessAbsent, UnlessNull } from '../../shared/validation/index.js';
import { type Draft, IsLine, IsName, Items, ownership, type Problem, type Section, type Workbench } from './section.js';

/** An entry of `dropsites`. Where null is allowed, it clears the field. */
class DropsiteEntry {
  /** The permanent UUID. Without one, a new dropsite gets a random UUID, and an existing one is found by owner and name. */
  @UnlessAbsent()
  @IsUUID('all', { message: 'must be a UUID' })
  link?: string;

  /** The e-mail address of the user who receives the uploads. */
  @IsLine({ min: 1, max: 255 })
  owner: string;

  @IsName()
  name: string;

  @UnlessAbsent()
  @MaxLength(10_000, { message: 'must have at most 10000 characters' })
  @IsString({ message: 'must be a string' })
  description?: string;

  /** ISO 8601; a date without a time means 00:00 UTC. */
  @UnlessNull()
  @IsISO8601({ strict: true }, { message: 'must be a date that exists, or null' })
  @Matches(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/, {
    message: 'must be a date and time with an offset (2030-01-31T18:00:00Z), a date (2030-01-31) or null',
  })
  expiresAt?: string | null;

  @UnlessNull()
  @MaxLength(1_024, { message: 'must have at most 1024 characters' })
  @MinLength(1, { message: 'must not be empty' })
  @IsString({ message: 'must be a string (in YAML, put a number into quotes), or null' })
  password?: string | null;

  @UnlessNull()
  @Max(MAX_ID, { message: `must not be greater than ${MAX_ID}` })
  @Min(1, { message: 'must not be less than 1' })
  @IsInt({ message: 'must be a whole number, or null' })
  maxItemsPerDay?: number | null;

  @UnlessNull()
  @Max(Number.MAX_SAFE_INTEGER, { message: `must not be greater than ${Number.MAX_SAFE_INTEGER}` })
  @Min(1, { message: 'must not be less than 1' })
  @IsInt({ message: 'must be a whole number, or null' })
  maxBytesPerDay?: number | null;

  /** An empty list allows all. */
  @UnlessAbsent()
  @Items((item) => (MEDIA_TYPES.some((type) => type === item) ? null : `must be one of ${MEDIA_TYPES.join(', ')}`))
  allowedTypes?: MediaType[];

  @UnlessAbsent()
  @IsBoolean({ message: 'must be true or false' })
  allowAnonymous?: boolean;

  @UnlessAbsent()
  @Items((item) => (Number.isInteger(item) && Number(item) > 0 && Number(item) <= MAX_ID ? null : 'must be a whole number above 0'))
  publicAreaIds?: number[];
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

async function findProblems({ path, fields: { link, owner, name } }: Draft<DropsiteEntry>, bench: Workbench): Promise<Problem[]> {
  if (owner === undefined) return [];
  const user = await bench.service.get(AccountsService).findByEmail(owner);
  if (!user && !bench.declares('users', owner))
    return [{ path: `${path}.owner`, message: `"${owner}" does not exist; declare it under users` }];
  if (link === undefined || name === undefined) return [];
  const existing = await bench.service.get(DropsitesService).findDeclared({ link, ownerId: user?.id ?? 0, name });
  if (!existing || existing.customerId === user?.customerId) return [];
  const holder = await ownership(bench.service, existing.customerId, 'leave out the link, and a new dropsite gets its own');
  return [{ path: `${path}.owner`, message: `is not a user of the customer to whom ${link} belongs; dropsites do not move. ${holder}` }];
}

async function declareDropsite({ owner, expiresAt, link, ...entry }: DropsiteEntry, { service, trail }: Workbench): Promise<object> {
  const dropsites = service.get(DropsitesService);
  const { id: ownerId, customerId } = await service.get(AccountsService).getByEmail(owner);
  const key = { link: link?.toLowerCase(), ownerId, name: entry.name };
  const before = await dropsites.findDeclared(key);
  const until = toEnd(expiresAt);
  const after = await dropsites.declare({ ...entry, ...key, customerId, expiresAt: until });
  await trail.recordDeclaration(`dropsite:${after.link}`, before, after);
  return { id: after.id, link: after.link, clientId: after.clientId, name: after.name };
}
