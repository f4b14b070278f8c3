import { Controller, Get, Header, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { DROPSITE_SCOPE, IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { ApiClientId, ApiErrors, Input, RateLimited } from '../../../shared/http/index.js';
import { withoutNulls } from '../../../shared/validation/index.js';
import { visitorOf } from '../dropsite-entrance.service.js';
import {
  DropsiteClaimDto,
  DropsiteDeliveryResponse,
  DropsiteLinkDto,
  DropsiteTokenDto,
  DropsiteTokenResponse,
  toDropsiteDeliveryResponse,
  toDropsiteTokenResponse,
} from './dropsite-session.dto.js';
import { DropsiteSessionsService } from './dropsite-sessions.service.js';

/** Sessions of senders. Credentials are ignored, because a sender whose session has ended still sends its token. */
@ApiTags('Dropsites')
@ApiClientId()
@Public()
@IgnoresCredentials()
@Controller('v5/dropsite')
export class DropsiteSessionsController {
  constructor(
    private readonly sessions: DropsiteSessionsService,
    private readonly config: Config,
  ) {}

  /** Deliver: the dropsite of a link, with the clientId to send as header `clientid` and a code for a session. */
  @Get('deliver/:link')
  @Header('cache-control', 'no-store')
  @ApiErrors('client_mismatch', 'not_found', 'dropsite_expired', 'rate_limited')
  async deliver(@Req() request: Request, @Input() { link }: DropsiteLinkDto): Promise<DropsiteDeliveryResponse> {
    const { dropsite, code } = await this.sessions.deliver(visitorOf(request, this.config), link);
    return toDropsiteDeliveryResponse(dropsite, { code, codeExpiresIn: this.config.dropsiteCodeTtlSeconds });
  }

  /** Token (optional): a session whose token is valid only for uploads to this link. It ends with uploadComplete. */
  @Post(':link/token')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @RateLimited('dropsite')
  @ApiBody({ type: DropsiteClaimDto })
  @ApiErrors(
    'client_mismatch',
    'password_required',
    'password_wrong',
    'invalid_code',
    'not_found',
    'dropsite_expired',
    'login_delayed',
    'quota_exceeded',
    'rate_limited',
  )
  async token(@Req() request: Request, @Input() input: DropsiteTokenDto): Promise<DropsiteTokenResponse> {
    const { link, code } = input;
    const { email, firstname, lastname, password } = withoutNulls(input); // null counts as absent
    const claim = { email: email || undefined, firstname, lastname };
    const session = await this.sessions.create(visitorOf(request, this.config), { link, code, password, ...claim });
    return toDropsiteTokenResponse(session, { sent: input, ttlSeconds: this.config.dropsiteSessionTtlSeconds, scope: DROPSITE_SCOPE });
  }
}
