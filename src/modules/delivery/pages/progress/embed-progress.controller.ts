import { Controller, Get, Header, Req } from '@nestjs/common';
import { ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { IgnoresCredentials, Public } from '../../../../shared/auth/index.js';
import { ApiErrors, Input, RateLimited } from '../../../../shared/http/index.js';
import { DeliveredLinkDto } from '../../files/deliver-file.dto.js';
import { DeliveryGate } from '../../gate/delivery-gate.js';
import { EmbedProgressResponse } from './embed-progress.dto.js';
import { Outlooks } from './outlooks.js';

/** What a page that waits for its media asks for. */
@ApiTags('Delivery')
@Public()
@IgnoresCredentials()
@RateLimited('delivery')
@Controller('v5/deliverEmbed')
export class EmbedProgressController {
  constructor(
    private readonly gate: DeliveryGate,
    private readonly outlooks: Outlooks,
  ) {}

  /** How far the media of a link is, for those who may see it. */
  @Get(':link/progress')
  @Header('cache-control', 'private, no-store')
  @ApiParam({ name: 'link', type: 'string', format: 'uuid', example: 'b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11' })
  @ApiQuery({ name: 'auth', required: false, type: 'string', description: 'base64(`<anything>:<token>`), the token of POST /v5/extAuth.' })
  @ApiQuery({ name: 'admission', required: false, type: 'string', description: 'What a player page adds to its own requests.' })
  @ApiErrors(
    'not_found',
    'link_ended',
    'auth_required',
    'ext_auth_required',
    'oauth_required',
    'ip_not_allowed',
    'referer_not_allowed',
    'wrong_host',
  )
  async progress(@Input() { link }: DeliveredLinkDto, @Req() request: Request): Promise<EmbedProgressResponse> {
    return await this.outlooks.find(await this.gate.open(link, request, { fromPlayer: true }));
  }
}
