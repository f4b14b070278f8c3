import { Controller, Delete, Get, Post, Put, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller, RefusesSupportAccess } from '../../shared/auth/index.js';
import { ApiErrors, IfMatch, Input, type Tag, Tagged } from '../../shared/http/index.js';
import { Idempotent } from '../../shared/idempotency/index.js';
import { IdInBody, sendList } from '../../shared/resources/index.js';
import {
  ConfiguredIdentityProviderResponse,
  CreateIdentityProviderDto,
  DeletedIdentityProviderResponse,
  FindIdentityProvidersDto,
  IdentityProviderChangesDto,
  IdentityProviderIdDto,
  IdentityProviderResponse,
  toIdentityProviderResponse,
  UpdateIdentityProviderDto,
} from './identity-provider.dto.js';
import type { IdentityProvider } from './identity-provider.entity.js';
import { IdentityProviderAdministrationService } from './identity-provider-administration.service.js';

/** Errors of every change of an identity provider. */
const REFUSALS = ['not_found', 'admin_level_not_sufficient', 'last_administrator', 'support_access_denied'] as const;

@ApiTags('Administration')
@ApiBearerAuth('oauth2')
@Controller('v5/identityProvider')
export class IdentityProvidersController {
  constructor(private readonly providers: IdentityProviderAdministrationService) {}

  /** Find identity providers of the customer, a page at a time; requires adminLevel 9 or above. */
  @Get()
  @ApiOkResponse({ type: IdentityProviderResponse, isArray: true })
  @ApiErrors('admin_level_not_sufficient', 'operator_only')
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { limit, cursor, ...wanted }: FindIdentityProvidersDto,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, { id: wanted.id, limit, cursor }, async (portion) => {
      return (await this.providers.list(caller, wanted, portion)).map(toIdentityProviderResponse);
    });
  }

  /** Get an identity provider. */
  @Get(':id')
  @ApiErrors('not_found', 'admin_level_not_sufficient')
  async get(
    @CurrentCaller() caller: Caller,
    @Input() { id }: IdentityProviderIdDto,
    @Tagged() tag: Tag,
  ): Promise<IdentityProviderResponse> {
    const provider = await this.providers.get(caller, id);
    return tag.set(provider, toIdentityProviderResponse(provider));
  }

  /** Create an identity provider from its SAML metadata. */
  @Post()
  @RefusesSupportAccess()
  @Idempotent()
  @ApiErrors('admin_level_not_sufficient', 'operator_only', 'confirmation_required', 'sso_identifier_taken', 'support_access_denied')
  async create(
    @CurrentCaller() caller: Caller,
    @Input() input: CreateIdentityProviderDto,
    @Tagged() tag: Tag,
  ): Promise<ConfiguredIdentityProviderResponse> {
    return respond(await this.providers.create(caller, input), tag);
  }

  /** Change an identity provider: absent members stay unchanged; metadata replaces entity id, address and certificates. */
  @Put([':id', '/'])
  @IdInBody('Change an identity provider whose id is in the body.')
  @RefusesSupportAccess()
  @ApiBody({ type: IdentityProviderChangesDto })
  @ApiErrors(...REFUSALS, 'id_mismatch', 'confirmation_required')
  async update(
    @CurrentCaller() caller: Caller,
    @Input() input: UpdateIdentityProviderDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<ConfiguredIdentityProviderResponse> {
    return respond(await this.providers.update(caller, { ...input, ifMatch }), tag);
  }

  /** Delete an identity provider: its people can no longer sign in there, and stay signed in where they are. */
  @Delete([':id', '/'])
  @IdInBody('Delete an identity provider whose id is in the body.')
  @RefusesSupportAccess()
  @ApiErrors(...REFUSALS, 'id_mismatch')
  async delete(
    @CurrentCaller() caller: Caller,
    @Input() { id }: IdentityProviderIdDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DeletedIdentityProviderResponse> {
    await this.providers.delete(caller, { id, ifMatch });
    return { id };
  }
}

interface Configured {
  readonly provider: IdentityProvider;
  readonly leftOut: readonly string[];
}

const respond = ({ provider, leftOut }: Configured, tag: Tag): ConfiguredIdentityProviderResponse =>
  tag.set(provider, { ...toIdentityProviderResponse(provider), ...(leftOut.length > 0 && { certificatesLeftOut: [...leftOut] }) });
