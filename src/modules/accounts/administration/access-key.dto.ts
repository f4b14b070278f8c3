import { IsInt, IsOptional } from 'class-validator';
import { CastInteger, RefusesUnknownParameters } from '../../../shared/http/index.js';
import { DeletedOf, IdOf, PageDto } from '../../../shared/resources/index.js';
import { IsId } from '../../../shared/validation/index.js';
import type { ListedAccessKey } from '../access-keys.service.js';

/** A page of access keys. */
@RefusesUnknownParameters()
export class FindAccessKeysDto extends PageDto {
  /** Only this access key; the list is empty if it is unknown. @example 3 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number | null;

  /** Only the keys of this user. @example 12 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  userId?: number;

  /** The customer; by default the caller's own. Only operators may name another. @example 1 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  customerId?: number;
}

/** The id of an access key. The id of another customer's key counts as unknown. */
export class AccessKeyIdDto extends IdOf({ example: 3 }) {}

/** A new access key; key and secret are generated. */
export class CreateAccessKeyDto {
  /** The user on whose behalf the key acts. @example 12 */
  @IsId()
  userId: number;
}

/** An access key, without its secret. */
export class AccessKeyResponse {
  /** @example 3 */
  id: number;
  /** Sent as x-service-accesskey. @example "2Qm1yX0cVb9v3m6kqf0n1A" */
  accessKey: string;
  /** The user on whose behalf the key acts. @example 12 */
  userId: number;
  /** @example 1 */
  customerId: number;
  /** ISO 8601. */
  createdAt: Date;
}

/** A new access key with its secret, which is shown only once. */
export class CreatedAccessKeyResponse extends AccessKeyResponse {
  /** Signs requests (HMAC-SHA256); it cannot be read again. @example "0Yw3kQe8…" */
  accessSecret: string;
}

/** The id of a removed access key. */
export class DeletedAccessKeyResponse extends DeletedOf({ example: 3 }) {}

export const toAccessKeyResponse = ({ id, accessKey, userId, customerId, createdAt }: ListedAccessKey): AccessKeyResponse => ({
  id,
  accessKey,
  userId,
  customerId,
  createdAt,
});
