import type { INestApplicationContext } from '@nestjs/common';
import { IsString, Matches, MaxLength } from 'class-validator';
import { type AccessKey, AccessKeysService, AccountsService } from '../../modules/accounts/index.js';
import { StartupError } from '../../shared/errors.js';
import { UnlessAbsent } from '../../shared/validation/index.js';
import { type ApplyContext, type Draft, IsLine, ownership, type Problem, type Section } from './section.js';

/** Names and secrets are sent in headers: visible ASCII characters only (RFC 9110 section 5.5). */
const VISIBLE = /^[\x21-\x7e]+$/;

/** An entry of `accessKeys`. */
class AccessKeyEntry {
  @MaxLength(255)
  @Matches(VISIBLE, { message: '$property must be visible ASCII without spaces' })
  @IsString()
  accessKey: string;

  /** If a new key has no secret in the file, a random one is generated and printed once. */
  @UnlessAbsent()
  @IsLine({ min: 1, max: 1_024 })
  accessSecret?: string;

  /** The e-mail address of the user on whose behalf the key acts. */
  @IsLine({ min: 1, max: 255 })
  user: string;
}

/** A shorter secret can be guessed from one signed request. This is only advice, because existing servers already sign with shorter secrets. */
const ADVISED_SECRET_LENGTH = 32;

export const accessKeysSection: Section<AccessKeyEntry> = {
  entry: AccessKeyEntry,
  key: 'accessKey',
  normalize: (accessKey) => accessKey,
  findProblems,
  declare: declareAccessKey,
};

async function findProblems({ path, fields: { user } }: Draft<AccessKeyEntry>, context: ApplyContext): Promise<Problem[]> {
  if (user === undefined || context.declares('users', user)) return [];
  if (await context.service.get(AccountsService).findByEmail(user)) return [];
  return [{ path: `${path}.user`, message: `"${user}" does not exist; declare it under users` }];
}

/** Someone of the other customer may know the secret of the key, which would act as the user of the file from now on. Within a customer a key may move. */
async function refuseOfOtherCustomer(
  { accessKey, userId }: AccessKey,
  customerId: number,
  service: INestApplicationContext,
): Promise<void> {
  const holder = await service.get(AccountsService).findById(userId);
  if (!holder || holder.customerId === customerId) return;
  const owner = await ownership(service, holder.customerId, `use another name, or "access-keys remove ${accessKey} --yes"`);
  throw new StartupError(
    `accessKeys: "${accessKey}" acts as a user of another customer; access keys do not move. ${owner}. Nothing was changed.`,
  );
}

async function declareAccessKey(
  { accessKey, accessSecret, user }: AccessKeyEntry,
  { service, trail, warn }: ApplyContext,
): Promise<object> {
  if (accessSecret !== undefined && accessSecret.length < ADVISED_SECRET_LENGTH) {
    warn(
      `accessKeys: "${accessKey}" has a secret of fewer than ${ADVISED_SECRET_LENGTH} characters; leave it out of a new key to have one generated.`,
    );
  }
  const keys = service.get(AccessKeysService);
  const { id: userId, customerId } = await service.get(AccountsService).getByEmail(user);
  const before = await keys.findStored(accessKey);
  if (before) await refuseOfOtherCustomer(before, customerId, service);
  const generatedSecret = await keys.declare({ accessKey, accessSecret, userId });
  const after = await keys.findStored(accessKey);
  if (!after) throw new Error('The access key was stored a moment ago.');
  await trail.recordDeclaration(`access_key:${accessKey}`, before, after, customerId);
  return { id: after.id, accessKey, ...(generatedSecret === null ? {} : { accessSecret: generatedSecret }) };
}
