import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { ApiErrors, prefixedHeader } from '../../../shared/http/index.js';
import { SignedSessionResponse } from './check-signed-session.dto.js';
import { signatureErrors } from './signed-requests.errors.js';
import { SignedRequestsService } from './signed-requests.service.js';

const AUTHMETA = /^([a-z]+):(\/\S*)$/;
const SIGNATURE_CODES = [
  'signature_missing',
  'signature_version_unsupported',
  'signature_expired',
  'signature_mismatch',
  'signature_replayed',
];

@ApiTags('Tokens')
@Public()
@IgnoresCredentials()
@Controller('v4/checkSignedSession')
export class CheckSignedSessionController {
  constructor(
    private readonly config: Config,
    private readonly signatures: SignedRequestsService,
  ) {}

  /** Check Signed Session: verify the signature of a request that another service received, and return its signer. */
  @Post()
  @HttpCode(200)
  @ApiOperation({ deprecated: true })
  @ApiBody({ required: false, schema: { type: 'object', additionalProperties: true, description: 'The payload of the signed request.' } })
  @ApiHeader({ name: 'x-service-authmeta', required: true, description: 'Signed method and path.', example: 'post:/v1/userTask' })
  @ApiErrors(...SIGNATURE_CODES, 'identifier_not_allowed', 'authmeta_invalid')
  async check(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<SignedSessionResponse> {
    response.setHeader('deprecation', '@1763596800'); // RFC 9745: deprecated since the first release
    const [, method, path] = AUTHMETA.exec(prefixedHeader(request, this.config.headerPrefixes, 'authmeta') ?? '') ?? [];
    if (!method || !path)
      throw signatureErrors.authmeta_invalid('Send x-service-authmeta as <lower-case method>:<path>, e.g. post:/v1/userTask.');
    const { query, body } = request;
    const { user, clientId } = await this.signatures.verify(request, { method, path, params: {}, query, body });
    const { id, firstname, lastname, email, customerId, adminLevel } = user;
    return { client: { id: clientId }, user: { id, firstname, lastname, email, customerId, adminLevel }, customer: { id: customerId } };
  }
}
