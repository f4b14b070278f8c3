import { Body, Controller, Get, Header, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../shared/auth/index.js';
import { ApiErrors, RateLimited } from '../../shared/http/index.js';
import { ProblemPageFilter } from '../../shared/web/index.js';
import { SingleSignOnService } from './single-sign-on.service.js';

@ApiTags('Authorization')
@Public()
@IgnoresCredentials()
@Controller('v4/saml/:ssoIdentifier')
export class SamlController {
  constructor(private readonly singleSignOn: SingleSignOnService) {}

  /** SAML metadata of this service for an identity provider: entity id, assertion consumer service and certificate. */
  @Get('metadata')
  @Header('content-type', 'application/samlmetadata+xml')
  @ApiProduces('application/samlmetadata+xml')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiErrors('saml_provider_unknown')
  async metadata(@Param('ssoIdentifier') ssoIdentifier: string): Promise<string> {
    return await this.singleSignOn.createMetadata(ssoIdentifier);
  }

  /** The assertion consumer service (HTTP-POST binding). 303, so that the browser continues with a GET, with which it sends its cookies. */
  @Post('acs')
  @RateLimited('saml')
  @UseFilters(ProblemPageFilter)
  @ApiExcludeEndpoint()
  async accept(
    @Req() request: Request,
    @Res() response: Response,
    @Param('ssoIdentifier') ssoIdentifier: string,
    @Body() form: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    response.setHeader('cache-control', 'no-store');
    response.redirect(303, await this.singleSignOn.acceptResponse(request, ssoIdentifier, form.SAMLResponse));
  }
}
