import { IntersectionType } from '@nestjs/swagger';
import { IsBoolean, IsEmail, IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { IsUserAddress, MAX_EMAIL_CHARACTERS } from '../../../shared/email-address.js';
import { CastInteger, RefusesUnknownParameters } from '../../../shared/http/index.js';
import { DeletedOf, IdOf, PageDto } from '../../../shared/resources/index.js';
import { IsId, MAX_DISPLAY_NAME_CHARACTERS, MAX_ID, UnlessAbsent } from '../../../shared/validation/index.js';
import type { User } from '../user.entity.js';

/** The kinds of users that administrators manage; senders of dropsites have no rights. */
const KINDS = ['person', 'service'] as const;
export type AdministeredKind = (typeof KINDS)[number];

/** A page of users: those that match every filter. */
@RefusesUnknownParameters()
export class FindUsersDto extends PageDto {
  /** Only this user; the list is empty if it is unknown. @example 12 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number | null;

  /** Only the user with this address, in any spelling. @example "ada@example.org" */
  @IsOptional()
  @MaxLength(MAX_EMAIL_CHARACTERS)
  @IsString()
  email?: string;

  /** person: signs in; service: acts for a client application. @example "person" */
  @IsOptional()
  @IsIn(KINDS)
  kind?: AdministeredKind;

  /** The customer; by default the caller's own. Only operators may name another. @example 1 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  customerId?: number;
}

/** The id of a user. The id of another customer's user counts as unknown. */
export class UserIdDto extends IdOf({ example: 12 }) {}

/** What administrators set; an absent member leaves the field as it is. */
export class UserFieldsDto {
  /** @example "Ada" */
  @UnlessAbsent()
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @Matches(/^\P{Cc}*$/u, { message: '$property must be one line of text' })
  @IsString()
  firstname?: string;

  /** @example "Lovelace" */
  @UnlessAbsent()
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @Matches(/^\P{Cc}*$/u, { message: '$property must be one line of text' })
  @IsString()
  lastname?: string;

  /** 0 for regular users, 9 or more for administrators; at most that of the caller. @example 0 */
  @UnlessAbsent()
  @Max(MAX_ID)
  @Min(0)
  @IsInt()
  adminLevel?: number;

  /** Whether the person needs a second factor to sign in with a password, whatever the customer requires. @example false */
  @UnlessAbsent()
  @IsBoolean()
  requireSecondFactor?: boolean;
}

/** A new user. A person gets an invitation by mail. */
export class CreateUserDto extends UserFieldsDto {
  /** @example "grace@example.org" */
  @MaxLength(MAX_EMAIL_CHARACTERS)
  @IsUserAddress()
  @IsEmail({ require_tld: false, allow_utf8_local_part: true })
  email: string;

  /** person (default): signs in; service: acts for a client application, and gets no mail. @example "person" */
  @UnlessAbsent()
  @IsIn(KINDS)
  kind?: AdministeredKind;

  /** The customer; by default the caller's own. Only operators may name another. @example 1 */
  @UnlessAbsent()
  @IsId()
  customerId?: number;
}

/** Changes of a user. */
export class UserChangesDto extends UserFieldsDto {
  /** @example "ada@example.org" */
  @UnlessAbsent()
  @MaxLength(MAX_EMAIL_CHARACTERS)
  @IsUserAddress()
  @IsEmail({ require_tld: false, allow_utf8_local_part: true })
  email?: string;
}

/** Changes of the user with this id. */
export class UpdateUserDto extends IntersectionType(UserIdDto, UserChangesDto) {}

/** A user, for administrators. */
export class UserResponse {
  /** @example 12 */
  id: number;
  /** @example 1 */
  customerId: number;
  /** @example "ada@example.org" */
  email: string;
  /** person: signs in; service: acts for a client application. @example "person" */
  kind: string;
  /** @example "Ada" */
  firstname: string;
  /** @example "Lovelace" */
  lastname: string;
  /** @example 0 */
  adminLevel: number;
  /** Whether the person has chosen a password. @example true */
  hasPassword: boolean;
  /** Whether the person needs a second factor to sign in with a password, whatever the customer requires. @example false */
  requireSecondFactor: boolean;
  /** Whether the person has an authenticator app or a passkey. @example false */
  hasSecondFactor: boolean;
  /** When the user was disabled; null: the user is active. */
  disabledAt: Date | null;
  /**
   * When the reader of the earlier address answered the notice of a change by an administrator with "this was not me"; null: there was no such answer, or the address was
   * changed again or all sessions were ended since.
   */
  emailDisputedAt: Date | null;
  /** ISO 8601. */
  createdAt: Date;
  /** ISO 8601. */
  updatedAt: Date;
}

/** The id of an erased user. */
export class DeletedUserResponse extends DeletedOf({ example: 12 }) {}

export const toUserResponse = (user: User, hasSecondFactor: boolean): UserResponse => ({
  id: user.id,
  customerId: user.customerId,
  email: user.email,
  kind: user.kind,
  firstname: user.firstname,
  lastname: user.lastname,
  adminLevel: user.adminLevel,
  hasPassword: user.passwordHash !== null,
  requireSecondFactor: user.requireSecondFactor,
  hasSecondFactor,
  disabledAt: user.disabledAt,
  emailDisputedAt: user.emailDisputedAt,
  createdAt: user.createdAt,
  updatedAt: user.updatedAt,
});
