import { Controller, Get, Header, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { IgnoresCredentials, Public } from '../../../../shared/auth/index.js';
import { ApiErrors, Input, RateLimited } from '../../../../shared/http/index.js';
import { DeliveredLinkDto } from '../../files/deliver-file.dto.js';
import { ApiGate, GATE_CODES } from '../../gate/api-gate.js';
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
  @ApiGate()
  @ApiErrors(...GATE_CODES)
  async progress(@Input() { link }: DeliveredLinkDto, @Req() request: Request): Promise<EmbedProgressResponse> {
    return await this.outlooks.find(await this.gate.open(link, request, { fromPlayer: true }));
  }
}
