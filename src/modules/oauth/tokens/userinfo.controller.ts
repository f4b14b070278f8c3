import { Controller, Get, Header, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { AcceptsScope, type Caller, CurrentCaller } from '../../../shared/auth/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { PrincipalsService } from '../../accounts/index.js';
import { UserinfoResponse } from '../protocol.dto.js';
import { CLAIMS_OF_SCOPES, claimsOf } from './person-claims.js';

/** Serves the claims about the person of an access token (OpenID Connect Core 1.0 section 5.3). */
@ApiTags('Tokens')
@ApiBearerAuth('oauth2')
@AcceptsScope('openid')
@Controller('v4/userinfo')
export class UserinfoController {
  constructor(private readonly principals: PrincipalsService) {}

  /** Userinfo: the claims about the signed-in person that the scopes of the access token allow; requires the scope openid. */
  @Get()
  @Header('cache-control', 'no-store')
  async get(@CurrentCaller() caller: Caller): Promise<UserinfoResponse> {
    return await this.claimsFor(caller);
  }

  /** Userinfo (POST): the same as with GET. */
  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async post(@CurrentCaller() caller: Caller): Promise<UserinfoResponse> {
    return await this.claimsFor(caller);
  }

  /** Empty claims are left out (section 5.3.2). Throws DomainError 403 `insufficient_scope`, 401 `token_invalid` if the user was just disabled. */
  private async claimsFor({ userId, scopes }: Caller): Promise<UserinfoResponse> {
    if (!scopes.has('openid')) throw generalErrors.insufficient_scope('The access token does not allow this. Ask for the scope openid.');
    const principal = await this.principals.find(userId);
    if (!principal) throw generalErrors.token_invalid('The user of the access token no longer exists.');
    const claims = claimsOf(principal);
    const granted = Object.entries(CLAIMS_OF_SCOPES).flatMap(([scope, names]) => (scopes.has(scope) ? names : []));
    const known = granted.filter((name) => claims[name] !== '').map((name) => [name, claims[name]]);
    return Object.fromEntries(known) as UserinfoResponse;
  }
}
