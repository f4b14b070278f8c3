import { Controller, Get, Header, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { DROPSITE_SCOPE, IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { ApiClientId, ApiErrors, Input, RateLimited } from '../../../shared/http/index.js';
import { visitorOf } from '../visitor-of.js';
import { DropsiteDeliveryResponse, DropsiteLinkDto, toDropsiteDeliveryResponse } from './dropsite-delivery.dto.js';
import { DropsiteSessions } from './dropsite-sessions.service.js';
import { DropsiteClaimDto, DropsiteTokenDto, DropsiteTokenResponse, toDropsiteTokenResponse } from './dropsite-token.dto.js';

const LINK = { name: 'link', type: 'string', format: 'uuid', example: 'b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11' };

/** The way to a session. Credentials do not count here: a sender whose session has ended still sends its token. */
@ApiTags('Dropsites')
@ApiClientId()
@Public()
@IgnoresCredentials()
@Controller('v5/dropsite')
export class DropsiteSessionsController {
  constructor(
    private readonly sessions: DropsiteSessions,
    private readonly config: Config,
  ) {}

  /** Deliver: what is behind a link, with the clientId to send as header `clientid` and a code for a session. */
  @Get('deliver/:link')
  @Header('cache-control', 'no-store')
  @ApiParam(LINK)
  @ApiErrors('client_mismatch', 'not_found', 'dropsite_expired', 'rate_limited')
  async deliver(@Req() request: Request, @Input() { link }: DropsiteLinkDto): Promise<DropsiteDeliveryResponse> {
    const { dropsite, code } = await this.sessions.deliver(visitorOf(request, this.config), link);
    return toDropsiteDeliveryResponse(dropsite, { code, codeExpiresIn: this.config.dropsiteCodeTtlSeconds });
  }

  /** Token (optional): a session, whose token reaches the uploads to this link and nothing else. It ends with uploadComplete. */
  @Post(':link/token')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @RateLimited('dropsite')
  @ApiParam(LINK)
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
    const { link, code, email, firstname, lastname, password } = withoutNulls(input);
    const claim = { email: email || undefined, firstname, lastname };
    const session = await this.sessions.begin(visitorOf(request, this.config), { link, code, password, ...claim });
    return toDropsiteTokenResponse(session, { sent: input, ttlSeconds: this.config.dropsiteSessionTtlSeconds, scope: DROPSITE_SCOPE });
  }
}

/** A member that is null says as little as one that is absent. */
const withoutNulls = <T extends object>(input: T): T =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)) as T;
