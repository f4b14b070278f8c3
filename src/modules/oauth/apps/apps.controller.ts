import { Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AcceptsSession, type Caller, CurrentCaller } from '../../../shared/auth/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { ApiErrors, IfMatch, Input, requireNoTag } from '../../../shared/http/index.js';
import { PageDto, setNextLink } from '../../../shared/resources/index.js';
import { type Authorization, AuthorizationsService } from '../../access/index.js';
import { ClientsService } from '../clients/clients.service.js';
import { oauthErrors } from '../oauth.errors.js';
import {
  AuthorizedApplicationIdDto,
  AuthorizedApplicationResponse,
  DeauthorizeDto,
  DeauthorizedResponse,
  toAuthorizedApplicationResponse,
} from './authorized-application.dto.js';

const MAX_APPLICATIONS = 10_000; // if the caller sets no limit

@ApiTags('Authorized applications')
@AcceptsSession()
@Controller('v4')
export class AppsController {
  constructor(
    private readonly authorizations: AuthorizationsService,
    private readonly clients: ClientsService,
  ) {}

  /** List apps: the applications that the user authorized. */
  @Get('apps')
  async list(
    @CurrentCaller() caller: Caller,
    @Input() page: PageDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthorizedApplicationResponse[]> {
    const found = await this.authorizations.findOfUser(caller.userId, { limit: page.limit ?? MAX_APPLICATIONS, after: page.cursor ?? 0 });
    setNextLink(response, page, found);
    return await this.describe(found);
  }

  /** Deauthorize app: ends the authorizations that match every selector, and all tokens issued to them, at once. */
  @Post('deauthorize')
  @HttpCode(200)
  @ApiBody({ type: DeauthorizeDto })
  @ApiErrors('selector_required', 'client_id_mismatch', 'origin_not_allowed', 'support_access_denied')
  async deauthorize(@CurrentCaller() caller: Caller, @Input() input: DeauthorizeDto): Promise<DeauthorizedResponse> {
    const { id, client_id, clientId, device } = input;
    if (client_id && clientId && client_id !== clientId) {
      throw oauthErrors.client_id_mismatch('client_id and clientId name different applications; send client_id only.');
    }
    const ended = await this.authorizations.deauthorize(caller, {
      id,
      clientId: client_id || clientId || undefined,
      device: device || undefined,
    });
    return { deauthorized: await this.describe(ended) };
  }

  /** Ends an authorization by its id. */
  @Delete('apps/:id')
  @ApiErrors('origin_not_allowed', 'support_access_denied')
  async delete(
    @CurrentCaller() caller: Caller,
    @Input() { id }: AuthorizedApplicationIdDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DeauthorizedResponse> {
    requireNoTag(ifMatch, `authorized application ${id}`);
    const ended = await this.authorizations.deauthorize(caller, { id });
    if (ended.length === 0) throw generalErrors.not_found(`There is no authorized application ${id}.`);
    return { deauthorized: await this.describe(ended) };
  }

  private async describe(found: readonly Authorization[]): Promise<AuthorizedApplicationResponse[]> {
    return await Promise.all(found.map(async (one) => toAuthorizedApplicationResponse(one, await this.clients.find(one.clientId))));
  }
}
