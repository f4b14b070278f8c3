import { Controller, Delete, Get, HttpCode, Post, Put, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller, RefusesSupportAccess } from '../../../shared/auth/index.js';
import { ApiErrors, IfMatch, Input, type Tag, Tagged } from '../../../shared/http/index.js';
import { Idempotent } from '../../../shared/idempotency/index.js';
import { IdInBody, sendList } from '../../../shared/resources/index.js';
import type { User } from '../user.entity.js';
import {
  CreateUserDto,
  DeletedUserResponse,
  FindUsersDto,
  toUserResponse,
  UpdateUserDto,
  UserChangesDto,
  UserIdDto,
  UserResponse,
} from './user.dto.js';
import { UserAdministrationService } from './user-administration.service.js';

/** Errors of every change of a user. */
const REFUSALS = ['not_found', 'admin_level_not_sufficient', 'support_access_denied'] as const;
/** Errors of changes that callers make of themselves. */
const OWN = ['use_account_page', 'confirmation_required'] as const;

@ApiTags('Administration')
@ApiBearerAuth('oauth2')
@Controller('v5/user')
export class UsersController {
  constructor(private readonly users: UserAdministrationService) {}

  /** Find users of the customer, a page at a time; requires adminLevel 9 or above. */
  @Get()
  @ApiOkResponse({ type: UserResponse, isArray: true })
  @ApiErrors('admin_level_not_sufficient', 'operator_only')
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { limit, cursor, ...wanted }: FindUsersDto,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, { id: wanted.id, limit, cursor }, async (portion) => {
      const users = await this.users.list(caller, wanted, portion);
      const withSecondFactor = await this.users.findWithSecondFactor(users);
      return users.map((user) => toUserResponse(user, withSecondFactor.has(user.id)));
    });
  }

  /** Get a user. */
  @Get(':id')
  @ApiErrors('not_found', 'admin_level_not_sufficient')
  async get(@CurrentCaller() caller: Caller, @Input() { id }: UserIdDto, @Tagged() tag: Tag): Promise<UserResponse> {
    return await this.respond(await this.users.get(caller, id), tag);
  }

  /** Create a user; a person is invited by mail to choose a password. */
  @Post()
  @RefusesSupportAccess()
  @Idempotent()
  @ApiErrors('email_taken', 'admin_level_not_sufficient', 'operator_only', 'quota_exceeded', 'mails_unavailable', 'support_access_denied')
  async create(@CurrentCaller() caller: Caller, @Input() input: CreateUserDto, @Tagged() tag: Tag): Promise<UserResponse> {
    return await this.respond(await this.users.create(caller, input), tag);
  }

  /**
   * Change a user: absent members stay unchanged. The adminLevel can be raised up to that of the caller. Callers change their own address on their
   * account page, and can only lower their own adminLevel.
   */
  @Put([':id', '/'])
  @IdInBody('Change a user whose id is in the body.')
  @RefusesSupportAccess()
  @ApiBody({ type: UserChangesDto })
  @ApiErrors(...REFUSALS, ...OWN, 'id_mismatch', 'email_taken', 'last_administrator', 'quota_exceeded', 'mails_unavailable')
  async update(
    @CurrentCaller() caller: Caller,
    @Input() input: UpdateUserDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<UserResponse> {
    return await this.respond(await this.users.update(caller, { ...input, ifMatch }), tag);
  }

  /** Mail the invitation again to a person who has not chosen a password yet; the link of the earlier mail is no longer good. */
  @Post(':id/invite')
  @HttpCode(200)
  @RefusesSupportAccess()
  @Idempotent()
  @ApiErrors(...REFUSALS, 'use_account_page', 'invitation_accepted', 'user_disabled', 'quota_exceeded', 'mails_unavailable')
  async invite(
    @CurrentCaller() caller: Caller,
    @Input() { id }: UserIdDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<UserResponse> {
    return await this.respond(await this.users.invite(caller, { id, ifMatch }), tag);
  }

  /**
   * Disable a user: sessions, their tokens and authorizations end for good; access keys, and tokens of applications that act as the user, are refused until
   * the user is enabled.
   */
  @Post(':id/disable')
  @HttpCode(200)
  @RefusesSupportAccess()
  @ApiErrors(...REFUSALS, 'last_administrator')
  async disable(
    @CurrentCaller() caller: Caller,
    @Input() { id }: UserIdDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<UserResponse> {
    return await this.respond(await this.users.disable(caller, { id, ifMatch }), tag);
  }

  /** Enable a disabled user, who has to sign in and to authorize applications again. */
  @Post(':id/enable')
  @HttpCode(200)
  @RefusesSupportAccess()
  @ApiErrors(...REFUSALS)
  async enable(
    @CurrentCaller() caller: Caller,
    @Input() { id }: UserIdDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<UserResponse> {
    return await this.respond(await this.users.enable(caller, { id, ifMatch }), tag);
  }

  /**
   * Mail a person who has lost their second factors a link with which they remove them, together with their password. The person sets up a new one at the
   * next sign-in; nothing changes before.
   */
  @Post(':id/resetSecondFactor')
  @HttpCode(200)
  @RefusesSupportAccess()
  @Idempotent()
  @ApiErrors(...REFUSALS, 'use_account_page', 'factor_reset_impossible', 'quota_exceeded', 'mails_unavailable')
  async resetSecondFactor(
    @CurrentCaller() caller: Caller,
    @Input() { id }: UserIdDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<UserResponse> {
    return await this.respond(await this.users.resetSecondFactor(caller, { id, ifMatch }), tag);
  }

  /** Delete a user: personal data is erased from everything of the customer, media and audit records stay. */
  @Delete([':id', '/'])
  @IdInBody('Delete a user whose id is in the body.')
  @RefusesSupportAccess()
  @ApiErrors(...REFUSALS, 'id_mismatch', 'last_administrator', 'erasure_unfinished')
  async delete(
    @CurrentCaller() caller: Caller,
    @Input() { id }: UserIdDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DeletedUserResponse> {
    await this.users.erase(caller, { id, ifMatch });
    return { id };
  }

  private async respond(user: User, tag: Tag): Promise<UserResponse> {
    const withSecondFactor = await this.users.findWithSecondFactor([user]);
    return tag.set(user, toUserResponse(user, withSecondFactor.has(user.id)));
  }
}
