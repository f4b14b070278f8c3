import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../../../shared/auth/index.js';
import { ApiErrors, Input, RateLimited, sendJson } from '../../../../shared/http/index.js';
import { OembedRequestDto, OembedResponse } from './oembed.dto.js';
import { OembedService } from './oembed.service.js';

const PROBLEM = { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemResponse' } } };

@ApiTags('Delivery')
@Public()
@IgnoresCredentials()
@RateLimited('delivery')
@Controller('v5/oembed')
export class OembedController {
  constructor(private readonly oembed: OembedService) {}

  /** Describe how to show an embed link in a page (oembed.com), for anyone who has its address. */
  @Get()
  @ApiOkResponse({ type: OembedResponse })
  @ApiResponse({ status: 501, description: 'A format other than json was requested.', content: PROBLEM })
  @ApiErrors('not_found', 'link_ended', 'oembed_private')
  async describe(@Input() input: OembedRequestDto, @Req() request: Request, @Res() response: Response): Promise<void> {
    response.setHeader('cache-control', 'private, no-store'); // a request from another address may be refused
    const { url, format = 'json', ...limits } = input;
    if (format === 'json') return void response.json(await this.oembed.describe(url, limits, request));
    const detail = 'The service answers with JSON only; leave out format.'; // oEmbed, section 2.3.4, requires this status
    const problem = { type: 'about:blank', title: 'Not Implemented', status: 501, detail, code: 'format_not_implemented', message: detail };
    sendJson(response, 501, { ...problem, requestId: request.context.id }, 'application/problem+json');
  }
}
