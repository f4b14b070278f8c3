import { Controller, Delete, Get, HttpCode, Post, Put, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller, RefusesSupportAccess } from '../../../shared/auth/index.js';
import { ApiErrors, IfMatch, Input, type Tag, Tagged } from '../../../shared/http/index.js';
import { Idempotent } from '../../../shared/idempotency/index.js';
import { IdInBody, sendList } from '../../../shared/resources/index.js';
import {
  ClientChangesDto,
  ClientIdDto,
  ClientResponse,
  ClientSecretResponse,
  CreateClientDto,
  CreatedClientResponse,
  DeletedClientResponse,
  FindClientsDto,
  RotateSecretDto,
  SecretRotationDto,
  toClientResponse,
  UpdateClientDto,
} from './client.dto.js';
import type { Client } from './client.entity.js';
import { ClientAdministrationService } from './client-administration.service.js';

/** Errors of every change of a client. */
const REFUSALS = ['not_found', 'admin_level_not_sufficient', 'operator_only', 'support_access_denied'] as const;

@ApiTags('Administration')
@ApiBearerAuth('oauth2')
@Controller('v5/client')
export class ClientsController {
  constructor(private readonly clients: ClientAdministrationService) {}

  /** Find client applications of the customer, a page at a time; requires adminLevel 9 or above. */
  @Get()
  @ApiOkResponse({ type: ClientResponse, isArray: true })
  @ApiErrors('admin_level_not_sufficient', 'operator_only')
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { limit, cursor, ...wanted }: FindClientsDto,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, { id: wanted.id, limit, cursor }, async (portion) => {
      return (await this.clients.list(caller, wanted, portion)).map(toClientResponse);
    });
  }

  /** Get a client application. */
  @Get(':id')
  @ApiErrors('not_found', 'admin_level_not_sufficient')
  async get(@CurrentCaller() caller: Caller, @Input() { id }: ClientIdDto, @Tagged() tag: Tag): Promise<ClientResponse> {
    const client = await this.clients.get(caller, id);
    return tag.set(client, toClientResponse(client));
  }

  /** Create a client application; the response contains the secret of a confidential one, which cannot be read again. */
  @Post()
  @RefusesSupportAccess()
  @Idempotent()
  @ApiErrors(
    'admin_level_not_sufficient',
    'operator_only',
    'confirmation_required',
    'client_id_reserved',
    'client_id_taken',
    'too_many_clients',
    'support_access_denied',
  )
  async create(@CurrentCaller() caller: Caller, @Input() input: CreateClientDto, @Tagged() tag: Tag): Promise<CreatedClientResponse> {
    return respond(await this.clients.create(caller, input), tag);
  }

  /**
   * Change a client application: absent members stay unchanged, lists are replaced. `confidential: true` makes a public one confidential and returns its
   * secret; false removes the secret.
   */
  @Put([':id', '/'])
  @IdInBody('Change a client application whose id is in the body.')
  @RefusesSupportAccess()
  @ApiBody({ type: ClientChangesDto })
  @ApiErrors(...REFUSALS, 'confirmation_required', 'id_mismatch')
  async update(
    @CurrentCaller() caller: Caller,
    @Input() input: UpdateClientDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<CreatedClientResponse> {
    return respond(await this.clients.update(caller, { ...input, ifMatch }), tag);
  }

  /** Replace the secret of a confidential client application; the response contains the new one, which cannot be read again. */
  @Post(':id/rotateSecret')
  @HttpCode(200)
  @RefusesSupportAccess()
  @Idempotent()
  @ApiBody({ type: SecretRotationDto })
  @ApiErrors(...REFUSALS, 'confirmation_required', 'id_mismatch', 'client_is_public')
  async rotateSecret(
    @CurrentCaller() caller: Caller,
    @Input() input: RotateSecretDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<ClientSecretResponse> {
    return await this.clients.rotateSecret(caller, { ...input, ifMatch });
  }

  /** Delete a client application with its authorizations, which ends their tokens at once. */
  @Delete([':id', '/'])
  @IdInBody('Delete a client application whose id is in the body.')
  @RefusesSupportAccess()
  @ApiErrors(...REFUSALS, 'id_mismatch')
  async delete(
    @CurrentCaller() caller: Caller,
    @Input() { id }: ClientIdDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DeletedClientResponse> {
    await this.clients.delete(caller, { id, ifMatch });
    return { id };
  }
}

const respond = ({ client, clientSecret }: { client: Client; clientSecret: string | null }, tag: Tag): CreatedClientResponse =>
  tag.set(client, { ...toClientResponse(client), ...(clientSecret !== null && { clientSecret }) });
