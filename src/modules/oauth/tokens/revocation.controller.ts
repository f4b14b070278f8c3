import type { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { RateLimited, RateLimitsService, sendJson } from '../../../shared/http/index.js';
import { ClientsService } from '../clients/clients.service.js';
import { basicCredentials, clientIdOf, readForm, single } from './form-request.js';
import { RevocationService } from './revocation.service.js';
import { TokenRequestsService } from './token-requests.service.js';

/**
 * POST /v4/revoke (RFC 7009). It reads the body itself, because errors have the shape of RFC 6749 section 5.2. An unknown token is not an error,
 * because it is already invalid.
 */
@ApiExcludeController() // protocol-operations.ts describes it
@Public()
@IgnoresCredentials() // the client authenticates by HTTP Basic or the body
@RateLimited('none') // requests are counted by client, which only the body names
@Controller('v4/revoke')
export class RevocationController {
  constructor(
    private readonly revocations: RevocationService,
    private readonly clients: ClientsService,
    private readonly tokenRequests: TokenRequestsService,
    private readonly limiter: RateLimitsService,
  ) {}

  @Post()
  async revoke(@Req() request: IncomingMessage, @Res() response: ServerResponse): Promise<void> {
    response.setHeader('cache-control', 'no-store');
    try {
      await this.answer(request, response);
    } catch (error) {
      if (!this.tokenRequests.sendError(error, response)) throw error;
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readForm(request);
    const clientId = clientIdOf(request, body);
    const asking = await this.clients.find(clientId ?? '');
    await this.limiter.consume('token', `${request.context.clientNetwork}|${asking?.clientId ?? ''}|revoke`, response); // unknown ids share a limit
    const secret = basicCredentials(request)?.secret ?? single(body, 'client_secret');
    const client = clientId ? await this.revocations.authenticate(clientId, secret) : null;
    if (!client) {
      if (request.headers.authorization) response.setHeader('www-authenticate', 'Basic realm="revocation"');
      return sendJson(response, 401, { error: 'invalid_client', error_description: 'client authentication failed' });
    }
    const token = single(body, 'token');
    if (!token) return sendJson(response, 400, { error: 'invalid_request', error_description: "missing required parameter 'token'" });
    if (!(await this.revocations.revoke(token, client))) {
      return sendJson(response, 400, { error: 'invalid_grant', error_description: 'the token was issued to another client' });
    }
    response.writeHead(200, { 'content-length': 0 }).end();
  }
}
