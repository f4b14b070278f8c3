import { Controller, Get, Header, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { ApiErrors, Input, RateLimited } from '../../../shared/http/index.js';
import { ApiGate, DeliveredLinkDto } from '../delivery.dto.js';
import { LINK_CODES } from '../delivery.errors.js';
import { DeliveryGateService } from '../gate/delivery-gate.service.js';
import { EmbedProgressResponse } from './embed/embed-page.dto.js';
import { EmbedProgressService } from './embed-progress.service.js';

@ApiTags('Delivery')
@Public()
@IgnoresCredentials()
@RateLimited('delivery')
@Controller('v5/deliverEmbed')
export class EmbedProgressController {
  constructor(
    private readonly gate: DeliveryGateService,
    private readonly embedProgress: EmbedProgressService,
  ) {}

  /** Get the state of the media of a link, for viewers who may see it. */
  @Get(':link/progress')
  @Header('cache-control', 'private, no-store')
  @ApiGate()
  @ApiErrors(...LINK_CODES)
  async progress(@Input() { link }: DeliveredLinkDto, @Req() request: Request): Promise<EmbedProgressResponse> {
    return await this.embedProgress.find(await this.gate.open(link, request, { fromPlayer: true }));
  }
}
