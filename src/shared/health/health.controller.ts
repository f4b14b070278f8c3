import { Controller, Get, HttpCode, Req, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../auth/index.js';
import { Config } from '../config/index.js';
import { RateLimited } from '../http/index.js';
import { mayReadInternals } from '../metrics.js';
import { LiveResponse, ReadyResponse } from './health.dto.js';
import { HealthService } from './health.service.js';

@ApiTags('Health')
@Public()
@IgnoresCredentials() // checking credentials would need the database, whose availability is what this reports
@RateLimited('none')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthService,
    private readonly config: Config,
  ) {}

  /** Liveness: 200 while the process runs. */
  @Get('live')
  live(): LiveResponse {
    return { status: 'ok' };
  }

  /** Readiness: 200 if the process can answer requests, with status `degraded` and the reasons if a part of the service does not work; 503 if PostgreSQL does not answer or is read-only, or if the clock of the process differs from that of PostgreSQL by more than 60 seconds. Only callers on this machine and those with METRICS_TOKEN as bearer token see reasons and details. */
  @Get('ready')
  @HttpCode(200)
  @ApiResponse({ status: 503, type: ReadyResponse, description: 'The database is down, or the clock of the process is wrong.' })
  async ready(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<ReadyResponse> {
    const { status, reasons, warnings, details } = await this.health.examine();
    if (status === 'down') response.status(503);
    if (!mayReadInternals(request, this.config)) return { status };
    return { status, ...(reasons.length > 0 && { reasons }), ...(warnings.length > 0 && { warnings }), details };
  }
}
