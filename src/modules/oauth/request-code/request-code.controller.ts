import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AcceptsSession, type Caller, CurrentCaller } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { ApiErrors, Input } from '../../../shared/http/index.js';
import { deviceHeader } from '../provider/authorize-request.js';
import { RequestCodeDto, RequestCodeResponse } from './request-code.dto.js';
import { RequestCodeService } from './request-code.service.js';

const ERRORS = [
  'unknown_client',
  'unauthorized_client',
  'consent_required',
  'redirect_uri_not_registered',
  'invalid_scope',
  'invalid_target',
  'page_not_of_client',
  'support_access_not_passed_on',
];

@ApiTags('Authorization')
@AcceptsSession({ framed: true, fromClients: true })
@Controller('v4/requestCode')
export class RequestCodeController {
  constructor(
    private readonly config: Config,
    private readonly codes: RequestCodeService,
  ) {}

  /** Request Code (query parameters): returns a code for an application that the signed-in user has authorized before. */
  @Get()
  @ApiErrors(...ERRORS)
  async get(
    @CurrentCaller() caller: Caller,
    @Input() input: RequestCodeDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RequestCodeResponse> {
    return await this.answer(caller, input, { request, response });
  }

  /** Request Code: returns a code for an application that the signed-in user has authorized before. */
  @Post()
  @HttpCode(200)
  @ApiBody({ type: RequestCodeDto })
  @ApiErrors(...ERRORS, 'origin_not_allowed')
  async post(
    @CurrentCaller() caller: Caller,
    @Input() input: RequestCodeDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RequestCodeResponse> {
    return await this.answer(caller, input, { request, response });
  }

  private async answer(
    caller: Caller,
    input: RequestCodeDto,
    http: { request: Request; response: Response },
  ): Promise<RequestCodeResponse> {
    http.response.setHeader('cache-control', 'no-store');
    const device = input.device || deviceHeader(http.request.headers, this.config.headerPrefixes);
    const userAgent = http.request.headers['user-agent']?.slice(0, 512) ?? null;
    const { origin, 'sec-fetch-site': site } = http.request.headers;
    const isForeign = site === 'cross-site' || site === 'same-site';
    return await this.codes.request(caller, { ...input, device, ip: http.request.context.clientAddress, userAgent, origin, isForeign });
  }
}
