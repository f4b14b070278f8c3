import { Controller, Header, HttpCode, Post } from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../../shared/auth/index.js';
import { ApiErrors, Input } from '../../../shared/http/index.js';
import { CreateExternalTokenDto, ExternalTokenResponse } from '../delivery.dto.js';
import { ExtAuthService } from './ext-auth.service.js';
import { EXTERNAL_TOKEN_TTL_SECONDS } from './viewer-tokens.service.js';

@ApiTags('Delivery')
@ApiSecurity('signature')
@Controller('v5/extAuth')
export class ExtAuthController {
  constructor(private readonly extAuth: ExtAuthService) {}

  /** External authentication: issue a token with which one viewer may see one link. Requires a signed request. */
  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiErrors('signature_required', 'access_key_not_allowed', 'not_found', 'link_ended')
  async issue(@CurrentCaller() caller: Caller, @Input() { identifier }: CreateExternalTokenDto): Promise<ExternalTokenResponse> {
    return { token: await this.extAuth.issue(caller, identifier), expires_in: EXTERNAL_TOKEN_TTL_SECONDS };
  }
}
