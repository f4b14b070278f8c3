import { Controller, Delete, Get, Post, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller, RefusesSupportAccess } from '../../../shared/auth/index.js';
import { ApiErrors, IfMatch, Input, type Tag, Tagged } from '../../../shared/http/index.js';
import { Idempotent } from '../../../shared/idempotency/index.js';
import { IdInBody, sendList } from '../../../shared/resources/index.js';
import {
  AccessKeyIdDto,
  AccessKeyResponse,
  CreateAccessKeyDto,
  CreatedAccessKeyResponse,
  DeletedAccessKeyResponse,
  FindAccessKeysDto,
  toAccessKeyResponse,
} from './access-key.dto.js';
import { AccessKeyAdministrationService, versionOfKey } from './access-key-administration.service.js';

@ApiTags('Administration')
@ApiBearerAuth('oauth2')
@Controller('v5/accessKey')
export class AccessKeysController {
  constructor(private readonly keys: AccessKeyAdministrationService) {}

  /** Find access keys of the customer, a page at a time; requires adminLevel 9 or above. */
  @Get()
  @ApiOkResponse({ type: AccessKeyResponse, isArray: true })
  @ApiErrors('admin_level_not_sufficient', 'operator_only')
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { limit, cursor, ...wanted }: FindAccessKeysDto,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, { id: wanted.id, limit, cursor }, async (portion) => {
      return (await this.keys.list(caller, wanted, portion)).map(toAccessKeyResponse);
    });
  }

  /** Get an access key, without its secret. */
  @Get(':id')
  @ApiErrors('not_found', 'admin_level_not_sufficient')
  async get(@CurrentCaller() caller: Caller, @Input() { id }: AccessKeyIdDto, @Tagged() tag: Tag): Promise<AccessKeyResponse> {
    const key = await this.keys.get(caller, id);
    return tag.set(versionOfKey(key), toAccessKeyResponse(key));
  }

  /** Create an access key that acts as a user; the response contains the secret, which cannot be read again. */
  @Post()
  @RefusesSupportAccess()
  @Idempotent()
  @ApiErrors('admin_level_not_sufficient', 'confirmation_required', 'support_access_denied')
  async create(
    @CurrentCaller() caller: Caller,
    @Input() { userId }: CreateAccessKeyDto,
    @Tagged() tag: Tag,
  ): Promise<CreatedAccessKeyResponse> {
    const { accessSecret, ...key } = await this.keys.create(caller, userId);
    return tag.set(versionOfKey(key), { ...toAccessKeyResponse(key), accessSecret });
  }

  /** Delete an access key, which ends its signatures at once. */
  @Delete([':id', '/'])
  @IdInBody('Delete an access key whose id is in the body.')
  @RefusesSupportAccess()
  @ApiErrors('id_mismatch', 'not_found', 'admin_level_not_sufficient', 'support_access_denied')
  async delete(
    @CurrentCaller() caller: Caller,
    @Input() { id }: AccessKeyIdDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DeletedAccessKeyResponse> {
    await this.keys.delete(caller, { id, ifMatch });
    return { id };
  }
}
